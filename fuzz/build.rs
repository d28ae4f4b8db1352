//! Lets the linker leave out the counters of what a fuzzer cannot reach: libFuzzer goes through all of them after each
//! execution, which takes longer than a small file does.

fn main() {
    println!("cargo:rustc-link-arg=-Wl,-z,start-stop-gc");
}
