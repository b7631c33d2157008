// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Records on the chain that a hash was known to somebody at the time of a block.
/// @notice The contract keeps nothing: the event is the record, and the transaction says who made it.
contract Timestamper {
    /// @param assetId What the hash is of: the keccak-256 of an entity's id, or the root of a batch.
    /// @param hash The keccak-256 of the content, or the root of a batch.
    event Timestamp(uint256 indexed assetId, uint256 indexed hash);

    /// @notice Emits the event with exactly these arguments.
    function timestamp(uint256 assetId, uint256 hash) external {
        emit Timestamp(assetId, hash);
    }
}
