//! The `mapo` command: a thin layer that parses arguments, calls the libraries and shows what they say.

fn main() {}
