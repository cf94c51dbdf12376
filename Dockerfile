# The service: collector, analytics and pages on one port. Needs a Postgres server (DATABASE_URL) and, since it listens on
# every address of its container, both tokens; docker-compose.yml brings all of it.
FROM node:24-bookworm-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY instrumentation/package.json instrumentation/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:dashboard

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY instrumentation/package.json instrumentation/
# Optional ones bring a Node for development; the image has its own.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production MULLIGAN_HOST=0.0.0.0 MULLIGAN_DATA_DIR=/data/mulligan
# A folder below the volume: the lock of an embedded database stands beside its folder.
RUN mkdir /data && chown node:node /data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE main.ts config.ts ./
COPY instrumentation/package.json instrumentation/
COPY instrumentation/src instrumentation/src
COPY access access
COPY analytics analytics
COPY cli cli
COPY collector collector
COPY database database
COPY demo demo
COPY migrations migrations
COPY service service
COPY verification verification
COPY --from=pages /app/dashboard/dist dashboard/dist
USER node
VOLUME /data
EXPOSE 4318
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MULLIGAN_PORT ?? 4318}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and hears SIGTERM itself; the service then answers what is under way and closes.
ENTRYPOINT ["node", "--conditions=@mulligan/source", "main.ts"]
CMD ["serve"]
