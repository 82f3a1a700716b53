//! What a user can type.
