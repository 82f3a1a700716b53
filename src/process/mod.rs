//! Supervised children: groups, deadlines, pinning, a scrubbed environment, and accounting of the tree.
//!
//! One long-lived guard process (the hidden subcommand `guard`) is subreaper and spawns everything; [`Supervisor`] is
//! deadheat's end of the pipe to it. When that pipe closes, for whatever reason, the guard kills every descendant.
//!
//! Known limits: Linux only. A process that asks another daemon to start something (docker, systemd) is not followed;
//! nor is one that changes its user, because it can't be signalled.

mod accounting;
mod child;
mod clock;
mod cpus;
mod environment;
mod error;
mod figures;
pub mod guard;
mod link;
mod listening;
mod log;
mod machine;
mod measured_run;
mod memory;
mod open_files;
mod port;
mod run_to_end;
mod sampler;
mod supervisor;
mod tree;
mod watch;
mod wire;

pub use accounting::{TreeClock, cpu_time};
pub use child::{Child, ChildSpec, DEFAULT_GRACE, Exit, ExitStatus, Pinning, StopReport};
pub use clock::now_ns;
pub use cpus::{CpuSplit, Topology, allowed_cpus, pin_this_thread};
pub use environment::{Environment, EnvironmentError, is_reserved, parent_environment};
pub use error::{GuardError, SpawnError};
pub use figures::{Figures, figures};
pub use listening::{PortOwner, listening_on, port_owner};
pub use log::{plain_text, tail, tail_from};
pub use machine::fingerprint;
pub use measured_run::Measured;
pub use memory::{Memory, memory};
pub use open_files::raise_open_files;
pub use port::{NoFreePort, PortPicker};
pub use run_to_end::{CancelFlag, Ending, Finished, LOG_LIMIT};
pub use supervisor::Supervisor;
pub use watch::{
    BusyProcess, CpuReader, CpuTimes, ProcessSurvey, Roots, SignReader, Signs, ThreadReader, ThreadTimes,
    this_threads_cpu_time,
};
