//! The rounds: servers, the gate, the suites, the load generator, the boot probe, the journal.

pub mod load;
