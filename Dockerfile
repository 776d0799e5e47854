# A static binary beside tesseract, which reads scans; a non-root user and one volume.
FROM node:22-bookworm-slim AS front
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY static static
RUN npm run build

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=front /src/static/dist static/dist
RUN CGO_ENABLED=0 GOEXPERIMENT=simd go build -trimpath -ldflags "-s -w" -o /clew ./cmd/web && mkdir /empty

FROM debian:bookworm-slim
# Further packages, for scans in other languages than English: tesseract-ocr-deu tesseract-ocr-fra
ARG OCR_PACKAGES
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends tesseract-ocr $OCR_PACKAGES && rm -rf /var/lib/apt/lists/*
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /clew /clew
COPY --from=build --chown=65532:65532 /empty /data
USER 65532:65532
ENV DATA_DIR=/data LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/clew", "health"]
ENTRYPOINT ["/clew"]
CMD ["serve"]
