//! One file per subcommand: the sequence of a use case, no arithmetic.
