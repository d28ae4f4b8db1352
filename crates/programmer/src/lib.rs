//! The neural side: a key-variable sequence-to-sequence network with its gradients, optimiser and checkpoints.
pub mod kernels;
pub mod matrix;
