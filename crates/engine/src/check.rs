//! Looks a workflow over and tells what is wrong with it; never fails.
