#!/bin/sh
':' //; exec node --max-semi-space-size=128 --heap-growing-percent=100 "$0" "$@"
// The shell runs the line above, and Node the lines below: no option of a running process sets these flags. Room for
// short-lived objects saves copies. Older objects are collected once they have doubled.
import '../dist/src/main.js';
