//! All formats through our clients against the mock models: what is answered, what is asked, and
//! everything that can go wrong.

mod clients;
mod faults;
mod formats;
