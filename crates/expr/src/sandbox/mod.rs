//! The JavaScript sandbox: QuickJS in a WebAssembly heap of its own.
