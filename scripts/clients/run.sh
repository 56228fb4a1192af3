#!/usr/bin/env bash
# Generates clients from the document of a running service or mock, and runs a small program with each.
#   scripts/clients/run.sh [python go java csharp typescript]      against a mock and a service that it starts
#   ORIGIN=http://127.0.0.1:4010 TOKEN=any scripts/clients/run.sh  against that one
# A language whose tools are not here is skipped with the reason.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# On the sample catalog; the trial search has a low limit, to reach it.
run_on_both() {
  local node="$here/../../node_modules/.bin/node" apps="$here/../../apps" data
  data=$(mktemp -d)
  export DATA_DIR=$data PORT=24711 TRIAL_RATE_LIMIT=20/60
  "$node" "$apps/mock/dist/main.js" --port 24710 & local mock=$!
  "$node" "$apps/api/dist/main.js" sample --products 300
  local token
  token=$("$node" "$apps/api/dist/main.js" token create --account clients --scopes search --json | grep -o 'pss_\w*' | head -1)
  "$node" "$apps/api/dist/main.js" serve & local service=$!
  # shellcheck disable=SC2064
  trap "kill $mock $service; wait $mock $service || true; rm -rf '$data'" EXIT
  for address in http://127.0.0.1:24710/healthz http://127.0.0.1:24711/readyz; do
    curl -fsS --retry 100 --retry-delay 1 --retry-all-errors "$address" >/dev/null 2>&1
  done
  echo "── the mock"
  ORIGIN=http://127.0.0.1:24710 TOKEN=any "$here/run.sh" "$@"
  echo "── the service"
  ORIGIN=http://127.0.0.1:24711 TOKEN=$token "$here/run.sh" "$@"
}

if [[ -z ${ORIGIN:-} ]]; then
  run_on_both "$@"
  exit
fi
export ORIGIN TOKEN BASE_URL="$ORIGIN/api/v1"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
curl -fsS "$ORIGIN/openapi.json" >openapi.json
cache=${XDG_CACHE_HOME:-$HOME/.cache}/product-search/clients
mkdir -p "$cache"

run_python() {
  python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    { echo "SKIPPED: the Python client needs Python 3.10 or later with venv."; return; }
  python3 -m venv venv
  ./venv/bin/pip install --quiet openapi-python-client==0.29.1 standardwebhooks==1.1.0
  ./venv/bin/openapi-python-client generate --path openapi.json --meta setup >warnings.txt 2>&1
  ./venv/bin/pip install --quiet ./product-search-service-client
  echo "python: $(find product-search-service-client -name '*.py' | wc -l) files, $(grep -c 'WARNING' warnings.txt || true) warnings"
  ./venv/bin/python "$here/search.py"
}

run_go() {
  command -v go >/dev/null || { echo "SKIPPED: the Go client needs Go."; return; }
  GOBIN="$cache" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.1
  mkdir -p go/search
  cp "$here"/go/* openapi.json go/
  cd go
  go mod init example.com/clients 2>/dev/null
  "$cache/oapi-codegen" --config oapi-codegen.yaml openapi.json 2>warnings.txt || { cat warnings.txt; return 1; }
  go mod tidy 2>/dev/null
  echo "go: $(wc -l <search/client.go) lines, $(grep -ci warning warnings.txt || true) warnings"
  go run .
}

run_java() {
  command -v mvn javac >/dev/null || { echo "SKIPPED: the Java client needs a JDK and Maven."; return; }
  for artifact in org.openapitools:openapi-generator-cli:7.14.0 com.standardwebhooks:standardwebhooks:1.1.0; do
    mvn -q dependency:copy -Dartifact="$artifact" -DoutputDirectory="$cache"
  done
  java -jar "$cache/openapi-generator-cli-7.14.0.jar" generate -g java --library native -i openapi.json -o java \
    --additional-properties=useSingleRequestParameter=true,invokerPackage=search,apiPackage=search.api,modelPackage=search.model >warnings.txt 2>&1 ||
    { tail -20 warnings.txt; return 1; }
  echo "java: $(find java/src/main -name '*.java' | wc -l) files, $(grep -c ' WARN ' warnings.txt || true) warnings"
  (cd java && mvn -q compile dependency:build-classpath -Dmdep.outputFile=classpath.txt)
  java -cp "java/target/classes:$(cat java/classpath.txt):$cache/standardwebhooks-1.1.0.jar" "$here/Search.java"
}

run_csharp() {
  command -v dotnet >/dev/null || { echo "SKIPPED: the C# client needs dotnet."; return; }
  [[ -x "$cache/kiota" ]] || dotnet tool install --tool-path "$cache" Microsoft.OpenApi.Kiota --version 1.28.0
  mkdir csharp
  cp "$here"/csharp/* csharp/
  "$cache/kiota" generate --language csharp --openapi openapi.json --namespace-name ProductSearch --output csharp/client >warnings.txt 2>&1 ||
    { tail -20 warnings.txt; return 1; }
  echo "csharp: $(find csharp/client -name '*.cs' | wc -l) files, $(grep -ci warn warnings.txt || true) warnings"
  dotnet run --project csharp/search.csproj
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
  npx tsc --noEmit --strict --skipLibCheck --module nodenext --target es2024 --allowImportingTsExtensions search.ts
  npx tsc --strict --skipLibCheck --module nodenext --target es2024 --rewriteRelativeImportExtensions --outDir out search.ts
  node out/search.js
}

[[ $# -gt 0 ]] || set -- python go java csharp typescript
for language; do (cd "$work" && "run_$language"); done
