//! The ground floor: attention, transformers, a forward pass with its whole trace, and their files.
