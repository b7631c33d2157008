FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --no-audit --no-fund
COPY src ./src
COPY web ./web
COPY scripts/build-web.js scripts/build-docs.js ./scripts/
COPY README.md CHANGELOG.md ./
COPY docs ./docs
RUN npm run build

FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

# Debian: the chain's node, which NODE_ENV=development starts, needs glibc. Alpine has musl.
FROM node:20-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist/src ./dist/src
COPY --from=build /app/dist/web ./dist/web
COPY --from=build /app/dist/docs ./dist/docs
COPY package.json LICENSE README.md CHANGELOG.md ./
COPY docs ./docs
COPY bin ./bin
COPY examples ./examples
# A new volume takes over the owner of this folder.
RUN mkdir /data && chown node:node /data
# The user `node`, as a number, which orchestrators can check.
USER 1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["bin/mirzam.js"]
