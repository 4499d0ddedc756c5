# Two commands do all the set-up on a fresh machine: `make run` and `make test`.

.PHONY: run test bench crash docs fuzz

# Builds Heddle, gives it an example workflow and starts it.
run:
	cargo run --release --quiet --package xtask -- sandbox
	cargo run --release --quiet --package xtask -- web
	cargo build --release --package heddle
	./target/release/heddle import --data .heddle --activate examples/greeting.json
	./target/release/heddle serve --data .heddle

# Installs what the tests need, then runs everything that CI runs.
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

# Tries random input on expressions, workflow JSON, operations and the URL policy: SECONDS for each (60).
fuzz:
	cargo xtask fuzz $(SECONDS)
