//! Kills at moments that are chosen: in the middle of the model's words, and while a tool waits for
//! its service.

use super::harness::{AgentCrashHarness, RunTally, TURNS, by_number, send_path};
use crate::support::wait_until;
use serde_json::json;
use std::time::Duration;

#[test]
fn killed_in_the_middle_of_the_models_words_it_asks_for_those_words_again_and_for_no_others() {
    let scene = AgentCrashHarness::new("agent-stream");
    let mut server = scene.start();
    let ids: Vec<u64> = (0..TURNS as u64).collect();
    for (id, turn) in ids.iter().zip(1..) {
        scene.slow_down(Some((*id, turn)));
        assert!(scene.call(&server.address, *id));
        wait_until("the model speaks", || scene.n_requests((*id, turn)) == 1);
        // Some of its words are there, and more are to come: each byte takes five milliseconds.
        std::thread::sleep(Duration::from_millis(50));
        scene.kill(server);
        scene.slow_down(None);
        server = scene.start();
        scene.all_over(&server);
        for asked in 1..=TURNS {
            assert_eq!(
                scene.n_requests((*id, asked)),
                if asked == turn { 2 } else { 1 },
                "turn {asked} of a run that was killed in turn {turn}"
            );
        }
    }
    let tally = scene.check(&server, &ids, ids.len() as u64);
    assert_eq!((tally.succeeded, tally.uncertain), (TURNS, 0));
    server.stop();
}

#[test]
fn killed_while_a_tool_waits_it_is_uncertain_where_the_tool_changes_something_and_only_there() {
    let scene = AgentCrashHarness::new("agent-tool");
    let mut server = scene.start();
    let held = [
        (0, send_path(0, 1), "uncertain"),
        (1, send_path(1, 2), "uncertain"),
        (2, "/look/2".to_owned(), "success"),
    ];
    for (id, path, status) in &held {
        scene.counter.hold(Some(path.clone()));
        assert!(scene.call(&server.address, *id));
        wait_until("the tool has asked", || scene.counter.all().contains_key(path));
        // What is sent beside the look is over, and only the look is under way.
        wait_until("the other call has its record", || *id != 2 || scene.has_note(*id, "tool 1.1"));
        scene.kill(server);
        scene.counter.hold(None);
        server = scene.start();
        scene.all_over(&server);
        assert_eq!(by_number(&server)[id][0]["status"], *status, "{path}");
    }
    assert_eq!(scene.counter.count("look", 2), 2, "what only looks is done again");
    let tally = scene.check(&server, &[0, 1, 2], 3);
    assert_eq!(tally, RunTally { succeeded: 1, uncertain: 2, recorded: tally.recorded });
    server.stop();
}

/// The same decisions by hand, with what does not fit refused.
#[test]
fn a_person_who_wants_the_call_made_again_gets_it_made_once_more() {
    let scene = AgentCrashHarness::new("agent-again");
    let server = scene.start();
    scene.counter.hold(Some(send_path(7, 1)));
    assert!(scene.call(&server.address, 7));
    wait_until("the tool has asked", || scene.counter.all().contains_key(&send_path(7, 1)));
    server.kill();
    scene.counter.hold(None);
    let server = scene.start();
    scene.all_over(&server);
    let id = by_number(&server)[&7][0]["id"].as_str().unwrap().to_owned();
    let resume = |body: serde_json::Value| {
        server.api("POST", &format!("/executions/{id}/resume"), Some(&body))
    };
    for (body, code, words) in [
        (json!({ "decision": "perhaps" }), "REQUEST_INVALID", "done"),
        (json!({ "decision": "again", "result": "x" }), "REQUEST_INVALID", "result"),
        (json!({ "decision": "done", "result": 5 }), "REQUEST_INVALID", "string"),
        (json!({ "decision": "done", "call": "tool 9.9" }), "EXECUTION_STEP", "item 0: tool 1.1"),
    ] {
        let refused = resume(body.clone()).json();
        assert_eq!(refused["code"], code, "{body}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(words), "{body}: {refused}");
    }
    let still = server.api("GET", &format!("/executions/{id}"), None).json();
    assert_eq!(still["status"], "uncertain", "what was refused changes nothing");
    assert_eq!(resume(json!({ "decision": "again" })).status, 200);
    scene.all_over(&server);
    assert_eq!(by_number(&server)[&7][0]["status"], "success");
    let counted = scene.counter.all();
    assert_eq!(counted.get(&send_path(7, 1)), Some(&2));
    let keys = counted.iter().filter(|(name, _)| name.starts_with("key "));
    let mut keys: Vec<usize> = keys.map(|(_, count)| *count).collect();
    keys.sort_unstable();
    assert_eq!(keys, [1, 2], "the service knows the repeated call by its key, and no other");
    assert_eq!(scene.n_requests((7, 1)), 1, "the model was not asked again");
    server.stop();
}
