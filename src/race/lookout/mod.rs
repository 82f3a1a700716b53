//! The lookout: whether the machine left a pair of slices alone, asked after each pair and blind to its values.
//!
//! What harms a slice is time in which the server or the load generator could run and had to wait for a process that is
//! not ours, and time that the hypervisor gave to others. The kernel counts the waiting of every thread in nanoseconds.
//! Not all of it is others' doing: threads of one server wait for each other, and a woken thread for its CPU to wake up.
//! [`limits`] takes that off. What others do while nobody of ours wants their CPU is no disturbance.
//!
//! Known limits: hardware threads that share a core, caches, memory bandwidth and a lowered clock slow a slice without a
//! trace here; the order A B B A and many rounds are what helps against those.

mod limits;
mod machine;

pub(super) use machine::{MachineLookout, Post};

use crate::model::{MachineRecord, Side};
use std::time::Duration;

/// CPU time of ours while a slice ran, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// The slice from its first to its last byte.
    pub(super) wall: Duration,
    /// The asked server's tree.
    pub(super) server: u64,
    /// The other server's tree.
    pub(super) partner: u64,
    /// The generator's thread.
    pub(super) generator: u64,
}

/// Keeps an eye on the machine. A unit is a pair of slices, or one slice where a server is measured alone.
pub(super) trait Lookout {
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
