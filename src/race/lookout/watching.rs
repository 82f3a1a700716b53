//! What the laps ask of a lookout.

use crate::model::{MachineRecord, Side};
use std::time::Duration;

/// CPU time of ours while a slice ran, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::race) struct Used {
    /// The slice from its first to its last byte.
    pub(in crate::race) wall: Duration,
    /// The asked server's tree.
    pub(in crate::race) server: u64,
    /// The other server's tree.
    pub(in crate::race) partner: u64,
    /// The generator's thread.
    pub(in crate::race) generator: u64,
}

/// Keeps an eye on the machine. A unit is a pair of slices, or one slice where a server is measured alone.
pub(in crate::race) trait Lookout {
    /// These are a side's processes once it has been warmed up.
    fn meet(&mut self, side: Side, pids: &[u32]);
    /// A unit begins.
    fn begin_unit(&mut self);
    /// A slice of `side` begins.
    fn begin_slice(&mut self, side: Side);
    /// It is over. The share of its time for which others kept ours from running, as far as single slices show it.
    fn end_slice(&mut self, side: Side, used: Used) -> f64;
    /// The unit is over: whether it was disturbed.
    fn end_unit(&mut self) -> bool;
    /// Nothing more comes: the times that were seen. What was repeated is the caller's to count.
    fn end(&mut self) -> MachineRecord;
}
