//! The addresses that active workflows listen at.

use crate::Error;
use crate::listen::addresses::{address_taken, endpoints_of};
use crate::listen::mcp::ToolListCache;
use crate::listen::trigger_listeners::TriggerListeners;
use crate::loaded_workflow::LoadedWorkflow;
use model::{Object, RunRange, Str, Value};
use node_api::trigger::{ChatRoute, FormPage, TriggerListener, WebhookAuth, WebhookRoute};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::addresses::{AddressClaim, EndpointKind};

/// An address and what is behind it.
pub struct TriggerEndpoint {
    pub workflow: Arc<LoadedWorkflow>,
    pub node: Str,
    pub route: WebhookRoute,
    /// Shown when the address is opened in a browser, if it is a form's.
    pub form: Option<FormPage>,
    /// How messages are taken, if it is the address of a chat.
    pub chat: Option<ChatRoute>,
    /// Set if the address is one for a test.
    pub test_run: Option<TestRun>,
    /// The tools of a server of the Model Context Protocol, as they were last listed.
    pub(crate) tools: ToolListCache,
}

impl TriggerEndpoint {
    /// Whether some calls are refused for who makes them.
    pub fn is_guarded(&self) -> bool {
        self.route.auth != WebhookAuth::None
            || self.route.ignores_bots
            || !self.route.allowed_ips.is_empty()
    }
}

/// How a test goes.
#[derive(Clone, Debug, Default)]
pub struct TestRun {
    /// Which part of the workflow the run covers.
    pub extent: RunRange,
}

/// All addresses, ready to be looked up.
#[derive(Clone, Default)]
pub(crate) struct Routes {
    webhooks: RouteTable,
    forms: RouteTable,
    mcp: RouteTable,
    /// Every chat, also those that have no address for everybody.
    chats: Vec<Arc<TriggerEndpoint>>,
}

#[derive(Clone, Default)]
struct RouteTable {
    fixed: HashMap<Str, Vec<(Str, Arc<TriggerEndpoint>)>>,
    /// Addresses with parts that take any value.
    open: Vec<(Arc<[PathSegment]>, Str, Arc<TriggerEndpoint>)>,
}

enum PathSegment {
    Fixed(Str),
    Any(Str),
}

/// What a call found.
pub enum RouteMatch {
    Hook(Arc<TriggerEndpoint>, Object),
    /// The address is there, but not for this method.
    OtherMethods(Vec<Str>),
    Nothing,
}

impl Routes {
    /// Adds what a workflow listens at. An address that another one has is refused.
    pub(crate) fn add(
        &mut self,
        workflow: &Arc<LoadedWorkflow>,
        listens: &[(Str, TriggerListener)],
    ) -> Result<(), Error> {
        self.add_as(workflow, listens, None)
    }

    /// The same for production or for a test.
    pub(crate) fn add_as(
        &mut self,
        workflow: &Arc<LoadedWorkflow>,
        listens: &[(Str, TriggerListener)],
        test_run: Option<&TestRun>,
    ) -> Result<(), Error> {
        for (node, listen) in listens {
            let (route, form, chat) = match listen {
                TriggerListener::Webhook(route) | TriggerListener::Mcp(route) => {
                    (route.clone(), None, None)
                }
                TriggerListener::Form(form) => (form.route.clone(), Some(form.page.clone()), None),
                TriggerListener::Chat(chat) => (chat.route.clone(), None, Some((**chat).clone())),
                TriggerListener::Clock(_) | TriggerListener::Poll(_) => continue,
            };
            let hook = Arc::new(TriggerEndpoint {
                workflow: workflow.clone(),
                node: node.clone(),
                route,
                form,
                chat,
                test_run: test_run.cloned(),
                tools: ToolListCache::default(),
            });
            if hook.chat.is_some() {
                self.chats.push(hook.clone());
            }
            for (kind, method, _) in endpoints_of(listen) {
                self.table(kind).insert(kind, Str::from(&*method), &hook)?;
            }
        }
        Ok(())
    }

    /// Removes what workflows listen at. What is kept in lists is walked once, however many they
    /// are.
    pub(crate) fn remove<'l>(
        &mut self,
        gone: impl Iterator<Item = (&'l Str, &'l TriggerListeners)>,
    ) {
        let mut with_chats: HashSet<&Str> = HashSet::new();
        let mut with_open: [HashSet<&Str>; EndpointKind::ALL.len()] = Default::default();
        for (workflow, listens) in gone {
            for (_, listen) in listens {
                if matches!(listen, TriggerListener::Chat(_)) {
                    with_chats.insert(workflow);
                }
                for (kind, _, path) in endpoints_of(listen) {
                    let path = path.trim_matches('/');
                    if is_open(path) {
                        with_open[kind as usize].insert(workflow);
                    } else {
                        self.table(kind).remove_fixed(workflow, path);
                    }
                }
            }
        }
        if !with_chats.is_empty() {
            self.chats.retain(|hook| !with_chats.contains(&hook.workflow.id));
        }
        for kind in EndpointKind::ALL {
            let gone = &with_open[kind as usize];
            if !gone.is_empty() {
                self.table(kind).open.retain(|(_, _, hook)| !gone.contains(&hook.workflow.id));
            }
        }
    }

    fn table(&mut self, kind: EndpointKind) -> &mut RouteTable {
        match kind {
            EndpointKind::Webhook => &mut self.webhooks,
            EndpointKind::Form => &mut self.forms,
            EndpointKind::Mcp => &mut self.mcp,
        }
    }

    pub(crate) fn find(&self, kind: EndpointKind, method: &str, path: &str) -> RouteMatch {
        match kind {
            EndpointKind::Webhook => self.webhooks.find(method, path),
            EndpointKind::Form => self.forms.find(method, path),
            EndpointKind::Mcp => self.mcp.find(method, path),
        }
    }

    pub(crate) fn chats(&self) -> &[Arc<TriggerEndpoint>] {
        &self.chats
    }

    /// The addresses of chats that are pages anybody may open.
    pub(crate) fn chat_pages(&self) -> Vec<Str> {
        let is_page = |hook: &&Arc<TriggerEndpoint>| {
            hook.chat.as_ref().is_some_and(|chat| chat.is_public && chat.page.is_some())
        };
        let mut pages: Vec<Str> = self
            .chats
            .iter()
            .filter(is_page)
            .map(|hook| hook.route.path.trim_matches('/').into())
            .collect();
        pages.sort();
        pages
    }

    /// Methods and paths of webhooks without open parts, in order.
    pub(crate) fn addresses(&self) -> Vec<(Str, Str)> {
        let all = self.webhooks.fixed.iter();
        let mut addresses: Vec<_> = all
            .flat_map(|(path, hooks)| {
                hooks.iter().map(move |(method, _)| (method.clone(), path.clone()))
            })
            .collect();
        addresses.sort();
        addresses
    }
}

impl RouteTable {
    fn insert(
        &mut self,
        kind: EndpointKind,
        method: Str,
        hook: &Arc<TriggerEndpoint>,
    ) -> Result<(), Error> {
        let path = hook.route.path.trim_matches('/');
        if is_open(path) {
            self.open.push((segments_of(path), method, hook.clone()));
            return Ok(());
        }
        let listening = self.fixed.entry(path.into()).or_default();
        if listening.iter().any(|(known, _)| *known == method) {
            return Err(address_taken(AddressClaim::new(hook.node.clone(), kind, &method, path)));
        }
        listening.push((method, hook.clone()));
        Ok(())
    }

    fn remove_fixed(&mut self, workflow: &str, path: &str) {
        if let Some(listening) = self.fixed.get_mut(path) {
            listening.retain(|(_, hook)| hook.workflow.id != workflow);
            if listening.is_empty() {
                self.fixed.remove(path);
            }
        }
    }

    fn find(&self, method: &str, path: &str) -> RouteMatch {
        let path = path.trim_matches('/');
        let mut others: Vec<Str> = Vec::new();
        for (known, hook) in self.fixed.get(path).into_iter().flatten() {
            if known == method {
                return RouteMatch::Hook(hook.clone(), Object::new());
            }
            others.push(known.clone());
        }
        let given: Vec<&str> = path.split('/').collect();
        for (parts, known, hook) in &self.open {
            if let Some(params) = matches(parts, &given) {
                if known == method {
                    return RouteMatch::Hook(hook.clone(), params);
                }
                others.push(known.clone());
            }
        }
        if others.is_empty() { RouteMatch::Nothing } else { RouteMatch::OtherMethods(others) }
    }
}

/// Whether parts of it take any value.
fn is_open(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with(':'))
}

fn segments_of(path: &str) -> Arc<[PathSegment]> {
    let segments = path.split('/').map(|part| match part.strip_prefix(':') {
        Some(name) => PathSegment::Any(name.into()),
        None => PathSegment::Fixed(part.into()),
    });
    segments.collect()
}

fn matches(parts: &[PathSegment], given: &[&str]) -> Option<Object> {
    if parts.len() != given.len() {
        return None;
    }
    let mut params = Object::new();
    for (part, given) in parts.iter().zip(given) {
        match part {
            PathSegment::Fixed(text) if text == given => {}
            PathSegment::Fixed(_) => return None,
            PathSegment::Any(name) => {
                params.insert(name.clone(), Value::from(*given));
            }
        }
    }
    Some(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pattern: &str, path: &str) -> Option<Object> {
        matches(&segments_of(pattern), &path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn a_path_with_parameters_matches_paths_of_the_same_length() {
        let found = params("users/:id/orders/:order", "users/7/orders/a b").unwrap();
        assert_eq!(found, Object::from_iter([("id", "7"), ("order", "a b")]));
        for other in ["users/7/orders", "users/7/orders/1/2", "users/7/bills/1", "users"] {
            assert!(params("users/:id/orders/:order", other).is_none(), "{other}");
        }
        assert_eq!(params("a/:b", "a/"), Some(Object::from_iter([("b", "")])));
    }

    #[test]
    fn only_segments_that_begin_with_a_colon_are_parameters() {
        assert!(is_open("a/:b") && is_open(":a") && !is_open("a:b") && !is_open("a/b:"));
        assert!(params("a:b/c", "a:b/c").is_some_and(|params| params.is_empty()));
        assert!(params("a:b/c", "axb/c").is_none());
    }
}
