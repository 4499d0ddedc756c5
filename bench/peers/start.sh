#!/bin/bash
# Starts n8n and Node-RED with the workflows that `cargo xtask bench server` and `bench agents` compare, and prints the variables
# that tell the benchmark where they are. Installs both at the first start, into target/peers. Ctrl-C ends them.
#
#   bench/peers/start.sh            n8n with its own defaults
#   bench/peers/start.sh tuned      n8n that keeps nothing of runs that went well and logs only errors
#
# The workflow with HTTP calls asks for a service named mockapi: /etc/hosts needs the line "127.0.0.1 mockapi".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
corpus=$root/../shared/corpus/bench
built=$root/target/peers
mkdir -p "$built"/{n8n,node-red}
trap 'kill $(jobs -p) 2>/dev/null' EXIT

# The newest n8n wants a package that the registry does not have; this one runs with the older expression engine.
cd "$built/n8n"
export N8N_USER_FOLDER=$PWD/data N8N_PORT=5670 N8N_LISTEN_ADDRESS=127.0.0.1 N8N_EXPRESSION_ENGINE=legacy
export N8N_DIAGNOSTICS_ENABLED=false N8N_VERSION_NOTIFICATIONS_ENABLED=false N8N_TEMPLATES_ENABLED=false N8N_RESTRICT_FILE_ACCESS_TO=/tmp
if [ "${1:-}" = tuned ]; then
	export EXECUTIONS_DATA_SAVE_ON_SUCCESS=none N8N_LOG_LEVEL=error
fi
if [ ! -e installed ]; then
	echo '{ "private": true, "dependencies": { "n8n": "1.123.81" }, "overrides": { "xlsx": "0.18.5" } }' > package.json
	npm install --ignore-scripts --no-audit --no-fund >&2
	npm rebuild sqlite3 --build-from-source >&2
	touch installed
fi
if [ ! -e imported ]; then
	mkdir -p data workflows
	number=0
	for file in "$corpus"/{single-webhook,set-node-expressions,js-code-node,http-node}.json "$here/n8n/agent.json"; do
		number=$((number + 1))
		node -e 'const [from, to, id] = process.argv.slice(1), fs = require("fs");
			fs.writeFileSync(to, JSON.stringify({ ...JSON.parse(fs.readFileSync(from)), id, active: true }))' \
			"$file" "workflows/$(basename "$file")" "benchmark-$number"
	done
	npx n8n import:credentials --input="$here/n8n/credentials.json" >&2
	npx n8n import:workflow --separate --input=workflows >&2
	npx n8n update:workflow --all --active=true >&2
	touch imported
fi
node node_modules/n8n/bin/n8n start > n8n.log 2>&1 &
n8n=$!

cd "$built/node-red"
if [ ! -e installed ]; then
	npm install --no-audit --no-fund node-red@4 >&2
	touch installed
fi
cp "$here/node-red/flows.json" .
node node_modules/node-red/red.js --userDir "$PWD" --port 1880 flows.json > node-red.log 2>&1 &
node_red=$!

# The service that the workflow with HTTP calls asks for.
node -e 'require("http").createServer((request, answer) => {
	request.resume();
	answer.setHeader("content-type", "application/json");
	answer.end(JSON.stringify({ id: 1, name: "Ada", items: [1, 2, 3] }));
}).listen(8080, "127.0.0.1")' &

until curl -sf -o /dev/null http://127.0.0.1:5670/webhook/single-webhook; do sleep 1; done
until curl -sf -o /dev/null http://127.0.0.1:1880/webhook/single-webhook; do sleep 1; done
echo "export BENCH_N8N_URL=http://127.0.0.1:5670 BENCH_N8N_PID=$n8n"
echo "export BENCH_NODE_RED_URL=http://127.0.0.1:1880 BENCH_NODE_RED_PID=$node_red"
wait
