//! On Apple's systems a module's symbols of Python are found when it is loaded, and the linker must be told so.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
