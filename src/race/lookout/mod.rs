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
mod watching;

pub(super) use machine::{MachineLookout, Post};
pub(super) use watching::{Lookout, Used};
