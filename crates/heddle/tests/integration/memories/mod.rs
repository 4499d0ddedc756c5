//! Memories: one suite over every back end, and what each kind of memory makes of it.
//!
//! | case | test |
//! | --- | --- |
//! | session `default` across users | `a_webhook_without_sessions_is_refused_and_says_what_to_do` (`agent_memories.rs`), `supplies.rs` of the nodes |
//! | a session of another workflow or node | `odd_sessions::nodes_and_workflows_do_not_mix` |
//! | `:`, `*`, newline, NUL, 1 MB, letters that look alike | `odd_sessions::odd_ids_are_sessions_like_others`, `ids_that_look_the_same_are_two_sessions` |
//! | prefix of a key | `odd_sessions::an_id_cannot_pretend_to_be_a_key_of_the_back_end` |
//! | appends at once | `cases::many_tasks_that_append_at_once_lose_nothing`, `turns_that_are_appended_at_once_do_not_mix` |
//! | a window cut at every position | `windows::a_window_cut_at_every_position_keeps_pairs`, `window.rs` of the agent |
//! | a poisoned summary | `kinds::a_poisoned_summary_is_a_record_and_never_an_instruction` |
//! | what is deleted is gone, vectors with their turns and the journal too | `conversations_outlive_a_change_of_the_key_and_are_deleted_with_their_workflow` (`agent_memories.rs`) |
//! | a stale write | `cases::what_somebody_else_has_changed_is_not_rewritten`, `of_many_rewrites_one_is_done` |
//! | back end down in mid-loop | `a_memory_that_is_out_of_reach_is_done_without_and_the_execution_says_so` (`agent_memories.rs`) |
//!
//! `memory_write` and declared keys are a planner's, which is not there yet.

mod backends;
mod cases;
mod kinds;
mod lifetimes;
mod n8n_table;
mod odd_sessions;
mod windows;

/// A test of each case for a back end.
macro_rules! tests {
    ($backend:ident: $($file:ident::$case:ident)*) => {
        mod $backend {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    super::$file::$case(&super::backends::$backend()).await;
                }
            )*
        }
    };
}

/// The suite: what holds wherever conversations are kept.
macro_rules! suite {
    ($backend:ident) => {
        tests! { $backend:
            cases::a_conversation_that_nobody_has_begun_is_empty
            cases::turns_come_back_in_their_order
            cases::images_calls_and_thoughts_survive
            cases::every_character_survives
            cases::the_same_turn_is_kept_once
            cases::the_same_key_in_another_session_is_another_turn
            cases::clearing_forgets_one_session_and_no_other
            cases::after_clearing_a_conversation_begins_anew
            cases::many_tasks_that_append_at_once_lose_nothing
            cases::turns_that_are_appended_at_once_do_not_mix
            cases::one_turn_that_many_append_is_kept_once
            cases::the_oldest_turns_are_replaced_and_later_ones_stay
            cases::a_turn_that_is_kept_by_a_rewrite_keeps_its_place
            cases::what_somebody_else_has_changed_is_not_rewritten
            cases::of_many_rewrites_one_is_done
            cases::everything_can_be_rewritten_to_nothing
            cases::an_append_during_a_rewrite_is_not_lost
            windows::a_window_cut_at_every_position_keeps_pairs
            windows::a_window_of_turns_has_that_many
            windows::a_huge_session_is_read_from_its_end
            windows::no_more_bytes_are_read_than_are_wanted
            windows::the_newest_turn_comes_even_if_it_is_too_large
            windows::a_turn_past_the_limit_is_refused_by_name
            odd_sessions::sessions_do_not_mix
            odd_sessions::odd_ids_are_sessions_like_others
            odd_sessions::ids_that_look_the_same_are_two_sessions
            odd_sessions::an_id_cannot_pretend_to_be_a_key_of_the_back_end
            odd_sessions::nodes_and_workflows_do_not_mix
            lifetimes::a_conversation_that_nobody_uses_vanishes
            lifetimes::use_keeps_a_conversation
            lifetimes::without_a_lifetime_a_conversation_stays
            lifetimes::after_a_restart_it_is_there_or_gone
            lifetimes::nobody_who_reads_the_disk_reads_what_was_said
        }
    };
}

suite!(process);
suite!(sqlite);
suite!(redis);
suite!(redis_in_the_open);
suite!(postgres);
