# docker build -t registry.example.com/kubernetes-reloader:0.1.0 .
#
# The final image is Node and the libraries that it loads, taken from the image below, and the program: no shell, no
# package manager. The tag is exact; the digest pins it for every architecture. How it is known and renewed:
# docs/guides/release.md. --build-arg NODE_DIGEST="" builds on another image of that tag.
ARG NODE_DIGEST="@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe"

# What it makes is the same for every architecture.
FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim${NODE_DIGEST} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Packages run no scripts of their own here; the bundler needs none.
RUN npm ci --ignore-scripts
COPY build.ts tsconfig.json ./
COPY bin bin
COPY lib lib
RUN node build.ts

FROM node:24.21.0-trixie-slim${NODE_DIGEST} AS runtime
WORKDIR /runtime
# Node, the libraries that it loads, their licences, and what tells a scanner their versions.
RUN set -eu; \
    mkdir -p var/lib/dpkg/status.d; \
    cp --parents --dereference /usr/local/bin/node /usr/local/LICENSE /etc/os-release .; \
    for file in $(ldd /usr/local/bin/node); do \
      case "$file" in /*) ;; *) continue ;; esac; \
      cp --parents --dereference "$file" .; \
      package="$(dpkg --search "$(realpath "$file")")"; \
      package="${package%%:*}"; \
      cp --parents --dereference "/usr/share/doc/$package/copyright" .; \
      dpkg --status "$package" > "var/lib/dpkg/status.d/$package"; \
    done

FROM scratch
LABEL org.opencontainers.image.title="kubernetes-reloader" \
      org.opencontainers.image.description="Rolls Kubernetes workloads when the content of the ConfigMaps and Secrets they depend on changes" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=runtime /runtime /
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /src/dist dist
# Nothing is written, and nothing belongs to this user.
USER 65532:65532
EXPOSE 8080 8081
# Else each thread keeps free memory of its own: 10 MB less at the peak of a start beside 20,000 objects.
ENV MALLOC_ARENA_MAX=1
# No shell in between: the signals reach the program. SIGUSR1 would open Node's inspector, which runs any code. The program reads
# files and uses the network; Node refuses it to write files, to start programs or threads, to load native code and to make code
# of texts, and a key __proto__ is one like any other. NODE_OPTIONS=--allow-child-process is for an exec plugin of a kubeconfig.
ENTRYPOINT ["/usr/local/bin/node", "--disable-sigusr1", "--permission", "--allow-fs-read=*", "--disable-proto=delete", "--disallow-code-generation-from-strings", "/app/dist/reloader.mjs"]
