#!/usr/bin/env bash
# Generates clients from the document of a running service or mock, and runs a small program with each.
#   scripts/clients/run.sh [python go java csharp typescript]      against a mock and a service that it starts
#   ORIGIN=http://127.0.0.1:4010 TOKEN=any scripts/clients/run.sh  against that one
# A language whose tools are not here is skipped with the reason.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
processes=()
trap '[[ ${#processes[@]} -eq 0 ]] || { kill "${processes[@]}"; wait "${processes[@]}" || true; }; chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"

# On the sample catalog; the trial search has a low limit, to reach it.
start_both() {
  local node="$here/../../node_modules/.bin/node" apps="$here/../../apps"
  export DATA_DIR="$work/data" PORT=24711 TRIAL_RATE_LIMIT=20/60
  "$node" "$apps/mock/dist/main.js" --port 24710 & processes+=($!)
  "$node" "$apps/api/dist/main.js" sample --products 300
  service_token=$("$node" "$apps/api/dist/main.js" token create --account clients --scopes search --json | grep -o 'pss_\w*' | head -1)
  "$node" "$apps/api/dist/main.js" serve & processes+=($!)
  for address in http://127.0.0.1:24710/healthz http://127.0.0.1:24711/readyz; do
    curl -fsS --retry 100 --retry-delay 1 --retry-all-errors "$address" >/dev/null 2>&1
  done
}

if [[ -n ${ORIGIN:-} ]]; then
  targets=("given $ORIGIN ${TOKEN:-any}")
else
  start_both
  targets=("mock http://127.0.0.1:24710 any" "service http://127.0.0.1:24711 $service_token")
fi
# The clients are generated once: all serve the same bytes.
for target in "${targets[@]}"; do
  read -r name origin _ <<<"$target"
  curl -fsS "$origin/openapi.json" >"$name.json"
  [[ -f openapi.json ]] || cp "$name.json" openapi.json
  cmp openapi.json "$name.json" || { echo "The documents differ: build the mock and the service." >&2; exit 1; }
done
cache=${XDG_CACHE_HOME:-$HOME/.cache}/product-search/clients
mkdir -p "$cache"

# Runs the program of a language against each target.
try_on_all() {
  local name
  for target in "${targets[@]}"; do
    read -r name ORIGIN TOKEN <<<"$target"
    echo "$name: $(ORIGIN=$ORIGIN TOKEN=$TOKEN BASE_URL="$ORIGIN/api/v1" "$@")"
  done
}

run_python() {
  python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    { echo "SKIPPED: the Python client needs Python 3.10 or later with venv."; return; }
  python3 -m venv venv
  ./venv/bin/pip install --quiet openapi-python-client==0.29.1 standardwebhooks==1.1.0
  ./venv/bin/openapi-python-client generate --path openapi.json --meta setup >warnings.txt 2>&1
  ./venv/bin/pip install --quiet ./product-search-service-client
  echo "python: $(find product-search-service-client -name '*.py' | wc -l) files, $(grep -c 'WARNING' warnings.txt || true) warnings"
  try_on_all ./venv/bin/python "$here/search.py"
}

run_go() {
  command -v go >/dev/null || { echo "SKIPPED: the Go client needs Go."; return; }
  [[ -x "$cache/oapi-codegen" ]] || GOBIN="$cache" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.1
  mkdir -p go/search
  cp "$here"/go/* openapi.json go/
  cd go
  go mod init example.com/clients 2>/dev/null
  "$cache/oapi-codegen" --config oapi-codegen.yaml openapi.json 2>warnings.txt || { cat warnings.txt; return 1; }
  go mod tidy 2>/dev/null
  echo "go: $(wc -l <search/client.go) lines, $(grep -ci warning warnings.txt || true) warnings"
  go build -o program .
  try_on_all ./program
}

run_java() {
  command -v mvn javac >/dev/null || { echo "SKIPPED: the Java client needs a JDK and Maven."; return; }
  for artifact in org.openapitools:openapi-generator-cli:7.14.0 com.standardwebhooks:standardwebhooks:1.1.0; do
    local name=${artifact#*:}
    [[ -f "$cache/${name/:/-}.jar" ]] || mvn -q dependency:copy -Dartifact="$artifact" -DoutputDirectory="$cache"
  done
  java -jar "$cache/openapi-generator-cli-7.14.0.jar" generate -g java --library native -i openapi.json -o java \
    --additional-properties=useSingleRequestParameter=true,invokerPackage=search,apiPackage=search.api,modelPackage=search.model >warnings.txt 2>&1 ||
    { tail -20 warnings.txt; return 1; }
  echo "java: $(find java/src/main -name '*.java' | wc -l) files, $(grep -c ' WARN ' warnings.txt || true) warnings"
  (cd java && mvn -q compile dependency:build-classpath -Dmdep.outputFile=classpath.txt)
  try_on_all java -cp "java/target/classes:$(cat java/classpath.txt):$cache/standardwebhooks-1.1.0.jar" "$here/Search.java"
}

run_csharp() {
  command -v dotnet >/dev/null || { echo "SKIPPED: the C# client needs dotnet."; return; }
  [[ -x "$cache/kiota" ]] || dotnet tool install --tool-path "$cache" Microsoft.OpenApi.Kiota --version 1.28.0
  mkdir csharp
  cp "$here"/csharp/* csharp/
  "$cache/kiota" generate --language csharp --openapi openapi.json --namespace-name ProductSearch --output csharp/client >warnings.txt 2>&1 ||
    { tail -20 warnings.txt; return 1; }
  echo "csharp: $(find csharp/client -name '*.cs' | wc -l) files, $(grep -ci warn warnings.txt || true) warnings"
  dotnet build --verbosity quiet --output csharp/out csharp/search.csproj
  try_on_all dotnet csharp/out/search.dll
}

run_typescript() {
  command -v npm >/dev/null || { echo "SKIPPED: the TypeScript client needs npm."; return; }
  mkdir typescript
  cp "$here/search.ts" openapi.json typescript/
  cd typescript
  npm init --yes >/dev/null && npm pkg set type=module
  npm install --silent openapi-typescript@7.13.0 openapi-fetch@0.17.0 standardwebhooks@1.1.1 typescript@5.9.3 @types/node@24
  npx openapi-typescript openapi.json --output search-api.ts >warnings.txt 2>&1
  echo "typescript: $(wc -l <search-api.ts) lines, $(grep -ci warning warnings.txt || true) warnings"
  npx tsc --strict --skipLibCheck --module nodenext --target es2024 --rewriteRelativeImportExtensions --outDir out search.ts
  try_on_all node out/search.js
}

[[ $# -gt 0 ]] || set -- python go java csharp typescript
for language; do
  started=$SECONDS
  (trap - EXIT && cd "$work" && "run_$language")
  echo "── $language in $((SECONDS - started)) s"
done
