//! The neural side: a key-variable sequence-to-sequence network with its gradients, optimiser and checkpoints.
