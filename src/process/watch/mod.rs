//! The machine, read while it measures: what its CPUs did, what kept our threads waiting, what slowed it, who was busy.
//!
//! Everything is a count since some beginning, and a reader of figures takes differences. What a kernel does not offer,
//! or a container hides, is absent and never an error. Readers keep their files open, so that reading again costs
//! microseconds. The roots of the kernel's files are arguments, so that tests read copies.
//!
//! Known limits: times from `/proc/stat` come in ticks of 10 ms, and are samples on most kernels: a CPU that is half busy
//! scatters by a tick or two over ten. Hardware threads that share a core slow each other without a trace in any of this.

mod cpus;
mod file;
mod processes;
mod roots;
mod signs;
#[cfg(test)]
mod testing;
mod threads;

pub use cpus::{CpuReader, CpuTimes};
pub use processes::{BusyProcess, ProcessSurvey};
pub use roots::Roots;
pub use signs::{SignReader, Signs};
pub use threads::{ThreadReader, ThreadTimes, this_threads_cpu_time};
