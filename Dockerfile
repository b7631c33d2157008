# The files of the npm package, as `npm pack` collects them.
FROM node:20-bookworm-slim AS package
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --silent && mkdir /package && tar -xzf mirzam-*.tgz --strip-components=1 --no-same-owner -C /package

FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# TypeScript is a peer of a package's types alone, and maps are for debuggers: together a quarter of the size.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -r node_modules/typescript node_modules/@typescript \
  && find node_modules -name '*.map' -delete

# Debian: the chain's node, which NODE_ENV=development starts, needs glibc. Alpine has musl.
FROM node:20-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=package /package ./
# A new volume takes over the owner of this folder: the user `node`, as a number, which orchestrators can check.
RUN mkdir /data && chown 1000:1000 /data
USER 1000
# The only folder that the service writes to: the root file system can be read-only.
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["bin/mirzam.js"]
