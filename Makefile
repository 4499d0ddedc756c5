# Two commands do all the set-up on a fresh machine: `make run` and `make test`.

# A machine that builds once has no use for what would make the next build faster, and it takes as much room again. Nobody debugs there.
# Few units of code for each crate mean less work for two processors.
ifeq ($(CI),true)
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_CODEGEN_UNITS := 4
export CARGO_PROFILE_DEV_DEBUG := 0
endif

.PHONY: run test bench crash docs fuzz simulate audit dist site

# Builds Heddle, gives it two example workflows and starts it: a webhook, and an agent that knows the documentation and needs no key.
run:
	@echo "[1/5] Building the compiler of the JavaScript sandbox (cargo shows how far it is)"
	cargo build --profile assets --package assets
	@echo "[2/5] Preparing the JavaScript sandbox"
	./target/assets/assets sandbox
	@echo "[3/5] Building the editor"
	./target/assets/assets web
	@echo "[4/5] Building Heddle (the longest step)"
	cargo build --release --package heddle
	@echo "[5/5] Importing the examples and starting"
	./target/release/heddle migrate --data .heddle
	./target/release/heddle import --data .heddle --activate examples/greeting.json examples/ask-the-docs.json
	./target/assets/assets example .heddle
	./target/release/heddle serve --data .heddle

# Installs what the tests need, then runs everything that CI runs.
test: export RUSTC_WORKSPACE_WRAPPER = $(CURDIR)/xtask/lint.sh
test:
	cargo build --quiet --workspace --bin xtask
	./target/debug/xtask ci

# Prints benchmarks as ratios against a floor.
bench:
	cargo xtask bench

# Writes the reference pages that are made from code.
docs:
	cargo xtask docs

# Kills servers and breaks their disks: N kills at random (200), and one at every write.
crash:
	cargo xtask crash $(N)

# Fuzzes every parser that strangers can reach: SECONDS for each target (60).
fuzz:
	cargo xtask fuzz $(SECONDS)

# Simulates the runtime and its store from seeds, with crashes and failing disks: N histories (10,000).
simulate:
	cargo xtask simulate $(N)

# Checks third-party code: licences, sources, duplicates, checksums, advisories.
audit:
	cargo xtask audit

# Makes the packages of a release in target/dist, with their checksums and the bill of materials (CycloneDX).
dist:
	cargo xtask dist

# Builds the documentation as a searchable site in target/site; broken links fail.
site:
	cargo xtask site
