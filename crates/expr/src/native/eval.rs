//! Walks an expression.

use super::ast::*;
use super::extension::{charge_result, charge_scope_value};
use super::value::{self, Js, UNDEFINED};
use super::{EvalResult, Interrupt, ProgramInner, meter, names, operators};
use crate::Scope;
use model::{Item, Object, Str, Value};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::sync::Arc;

/// Calls and nested parts that may be open at once.
const MAX_DEPTH: u32 = 150;

/// Calls with more arguments than this put them into a list first.
const PLAIN_ARGS: usize = 3;

/// What is being evaluated.
#[derive(Clone, Copy)]
pub(super) enum EvalMode<'a> {
    Expression,
    /// A Code node, for an item that it may change, or for all of them.
    Code {
        item: Option<&'a RefCell<Item>>,
    },
}

pub(super) struct Machine<'a> {
    program: &'a ProgramInner,
    pub(super) mode: EvalMode<'a>,
    pub(super) scope: &'a dyn Scope,
    locals: Vec<Js>,
    /// Functions that are running, so that none is entered twice.
    active: Vec<u32>,
    depth: u32,
}

/// The values of a call's arguments; most calls have few.
pub(super) type Args = SmallVec<[Js; 4]>;

impl<'a> Machine<'a> {
    #[inline]
    pub(super) fn new(program: &'a ProgramInner, scope: &'a dyn Scope) -> Self {
        let locals =
            if program.slots == 0 { Vec::new() } else { vec![UNDEFINED; program.slots as usize] };
        Self { program, mode: EvalMode::Expression, scope, locals, active: Vec::new(), depth: 0 }
    }

    pub(super) fn is_code(&self) -> bool {
        matches!(self.mode, EvalMode::Code { .. })
    }

    /// Counts work, such as the elements a method walks over.
    pub(super) fn spend(&mut self, steps: usize) -> EvalResult<()> {
        meter::spend(steps)
    }

    /// Asks before putting together a text or an array of this size.
    pub(super) fn allocate(&mut self, bytes: usize) -> EvalResult<()> {
        meter::allocate(bytes)
    }

    pub(super) fn eval(&mut self, expr: &Expr) -> EvalResult<Js> {
        if self.depth >= MAX_DEPTH {
            return Err(Interrupt::Declined);
        }
        match expr {
            Expr::Path { root, keys } => self.path(root, keys),
            Expr::Literal(value) => Ok(Js::Value(value.clone())),
            Expr::Local(slot) => Ok(self.locals.get(*slot as usize).cloned().unwrap_or(UNDEFINED)),
            Expr::Arrow(index) => Ok(Js::Closure(*index)),
            Expr::Builtin(function) => Ok(Js::Builtin(*function)),
            Expr::RegExp(regexp) => Ok(Js::RegExp(regexp.clone())),
            Expr::Root(root) => self.root(*root),
            Expr::Variable(name) => self.variable(name),
            Expr::Sum { quick, whole } => match quick.number(&self.locals) {
                Some(number) => Ok(number.into()),
                None => self.eval(whole),
            },
            _ => {
                self.depth += 1;
                let result = self.eval_inner(expr);
                self.depth -= 1;
                result
            }
        }
    }

    fn eval_inner(&mut self, expr: &Expr) -> EvalResult<Js> {
        match expr {
            Expr::Member { object, key, optional } => {
                if let Expr::Local(slot) = &**object
                    && let Some(Js::Value(
                        value @ (Value::Array(_) | Value::Object(_) | Value::String(_)),
                    )) = self.locals.get(*slot as usize)
                {
                    return Ok(Js::Value(value::member(value, key)?.into_owned()));
                }
                let object = self.eval(object)?;
                if *optional && object.is_nullish() {
                    return Err(Interrupt::Short);
                }
                self.member(&object, key)
            }
            Expr::Index { object, index, optional } => self.index(object, index, *optional),
            Expr::Method(call) => self.method_call(call),
            Expr::Chain(inner) => match self.eval(inner) {
                Err(Interrupt::Short) => Ok(UNDEFINED),
                other => other,
            },
            Expr::Conditional { test, then, otherwise } => {
                if self.eval(test)?.is_truthy() {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            Expr::Logical { operator, left, right } => {
                let left = self.eval(left)?;
                let takes_right = match operator {
                    LogicalOp::And => left.is_truthy(),
                    LogicalOp::Or => !left.is_truthy(),
                    LogicalOp::Coalesce => left.is_nullish(),
                };
                if takes_right { self.eval(right) } else { Ok(left) }
            }
            Expr::Binary { operator, left, right } => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                if let (Js::Value(Value::Number(left)), Js::Value(Value::Number(right))) =
                    (&left, &right)
                    && let Some(result) = operators::of_numbers(*operator, *left, *right)
                {
                    return Ok(result.into());
                }
                operators::binary(*operator, &left, &right)
            }
            Expr::Unary { operator, operand } => {
                let operand = self.eval(operand)?;
                operators::unary(*operator, &operand)
            }
            Expr::Template { texts, parts } => self.template(texts, parts),
            Expr::Array(elements) => {
                self.allocate(meter::list_bytes(elements.len()))?;
                let values = self.arguments(elements)?;
                let values =
                    values.into_iter().map(Js::into_value).collect::<EvalResult<Vec<_>>>()?;
                Ok(Value::array(values).into())
            }
            Expr::Object(fields) => self.object(fields),
            Expr::Static { class: Class::Math, name, args }
                if matches!(&**args, [Arg { spread: false, .. }]) =>
            {
                let number = self.eval(&args[0].value)?;
                super::statics::math(name, std::slice::from_ref(&number))
            }
            Expr::Static { class, name, args } => {
                let args = self.arguments(args)?;
                let before = meter::allocated();
                let made = super::statics::call(self, *class, name, args);
                charge_result(before, &made)?;
                made
            }
            Expr::Call { function, args } => {
                let args = self.arguments(args)?;
                if function.makes_something() {
                    self.call_builtin(*function, args)
                } else {
                    super::builtin::call(self, *function, args)
                }
            }
            Expr::Apply { function, args } => self.apply(function, args),
            Expr::New { class, args } => {
                let args = self.arguments(args)?;
                let before = meter::allocated();
                let made = super::statics::new(self, *class, args);
                charge_result(before, &made)?;
                made
            }
            Expr::InstanceOf { value, class } => {
                let value = self.eval(value)?;
                operators::instance_of(&value, *class).map(Js::from)
            }
            Expr::Sequence(parts) => {
                let mut last = UNDEFINED;
                for part in parts {
                    last = self.eval(part)?;
                }
                Ok(last)
            }
            Expr::SetField { key, value } => {
                let value = self.eval(value)?.into_value()?;
                self.change_item(|fields| fields.insert(key.clone(), value.clone()))?;
                Ok(value.into())
            }
            Expr::DeleteField(key) => {
                self.change_item(|fields| fields.remove(key))?;
                Ok(true.into())
            }
            Expr::Assign { slot, value } => {
                let value = self.eval(value)?;
                self.set_local(*slot, value.clone());
                Ok(value)
            }
            _ => Err(Interrupt::Declined),
        }
    }

    /// Changes the item at hand, unless somebody else would see the change.
    fn change_item<T>(&mut self, change: impl FnOnce(&mut Object) -> T) -> EvalResult<()> {
        let EvalMode::Code { item: Some(item) } = self.mode else {
            return Err(Interrupt::Declined);
        };
        match &mut item.borrow_mut().json {
            Value::Object(fields) => {
                Arc::get_mut(fields).map(change).map(|_| ()).ok_or(Interrupt::Declined)
            }
            _ => Err(Interrupt::Declined),
        }
    }

    /// Walks data by reference and clones only what comes out at the end.
    fn path(&mut self, root: &PathRoot, keys: &[Str]) -> EvalResult<Js> {
        let item = match root {
            PathRoot::Json | PathRoot::InputJson => self.scope.item().ok_or(Interrupt::Declined)?,
            PathRoot::Node(name) => {
                super::nodes::known(self, name)?;
                self.scope.paired_item(name, None)?.ok_or(Interrupt::TypeError)?
            }
        };
        let mut current = &item.json;
        for (at, key) in keys.iter().enumerate() {
            match current {
                Value::Object(object) => match object.get(key) {
                    Some(found) => current = found,
                    None if names::is_object_prototype(key) => return Err(Interrupt::Declined),
                    None if at + 1 == keys.len() => return Ok(UNDEFINED),
                    None => return Err(Interrupt::TypeError),
                },
                other => {
                    let found = value::member(other, key)?.into_owned();
                    return keys[at + 1..]
                        .iter()
                        .try_fold(Js::Value(found), |value, key| self.member(&value, key));
                }
            }
        }
        Ok(Js::Value(current.clone()))
    }

    pub(super) fn member(&mut self, object: &Js, key: &str) -> EvalResult<Js> {
        match object {
            Js::Value(Value::Date(_))
            | Js::DateTime(_)
            | Js::Span(_)
            | Js::RegExp(_)
            | Js::Set(_) => super::date_methods::property(object, key),
            Js::Value(value) => Ok(Js::Value(value::member(value, key)?.into_owned())),
            Js::Item(item) => super::nodes::item_member(item, key),
            Js::Input
            | Js::OldNodes
            | Js::Node(_)
            | Js::OldNode(_)
            | Js::OwnParameters
            | Js::ParametersOf(_) => {
                super::nodes::member(self, object, key).and_then(charge_scope_value)
            }
            _ => Err(Interrupt::Declined),
        }
    }

    fn index(&mut self, object: &Expr, index: &Expr, optional: bool) -> EvalResult<Js> {
        let object = self.eval(object)?;
        if optional && object.is_nullish() {
            return Err(Interrupt::Short);
        }
        let index = self.eval(index)?;
        if object.is_nullish() {
            return Err(Interrupt::TypeError);
        }
        if let (Js::Value(Value::Array(values)), Js::Value(Value::Number(number))) =
            (&object, &index)
            && *number >= 0.0
            && number.fract() == 0.0
        {
            return Ok(values.get(*number as usize).cloned().unwrap_or_default().into());
        }
        let key = index.to_key()?;
        if names::is_unsafe(&key) {
            return Err(Interrupt::Declined);
        }
        self.member(&object, &key)
    }

    fn method_call(&mut self, call: &MethodCall) -> EvalResult<Js> {
        if call.is_at
            && let (Expr::Local(slot), [position]) = (&call.object, &*call.args)
            && matches!(self.locals.get(*slot as usize), Some(Js::Value(Value::Array(_))))
        {
            self.spend(1)?;
            let position = self.eval(&position.value)?.to_number()?;
            return match self.locals.get(*slot as usize) {
                Some(Js::Value(Value::Array(values))) => {
                    Ok(super::array::at(values, position).into())
                }
                _ => Err(Interrupt::Declined),
            };
        }
        let object = self.eval(&call.object)?;
        if object.is_nullish() {
            if call.optional {
                return Err(Interrupt::Short);
            }
            // Extension functions on nothing fail with a message of their own.
            return Err(if names::is_extension(&call.name) {
                Interrupt::Declined
            } else {
                Interrupt::TypeError
            });
        }
        if call.optional_call && !self.has_method(&object, &call.name) {
            return Err(Interrupt::Declined);
        }
        let args = self.arguments(&call.args)?;
        self.spend(1)?;
        if self.is_code() && !(call.is_own || super::code::has_method(&object, &call.name)) {
            return Err(Interrupt::Declined);
        }
        let before = meter::allocated();
        let made = super::extension::call_method(self, object, &call.name, args, call.fresh);
        if call.makes_something {
            charge_result(before, &made)?;
        }
        made
    }

    /// Only what is surely there is called through `?.()`.
    fn has_method(&self, object: &Js, name: &str) -> bool {
        matches!(object, Js::Value(Value::Array(_) | Value::String(_)))
            && (names::is_prototype_method(name) || names::is_extension(name))
    }

    pub(super) fn arguments(&mut self, args: &[Arg]) -> EvalResult<Args> {
        let mut values = Args::with_capacity(args.len());
        for arg in args {
            let value = self.eval(&arg.value)?;
            if arg.spread {
                let elements = self.spread(&value)?;
                self.allocate(elements.len() * size_of::<Value>())?;
                values.extend(elements.iter().cloned().map(Js::Value));
            } else {
                values.push(value);
            }
        }
        if values.len() > 8 {
            self.spend(values.len())?;
        }
        Ok(values)
    }

    /// What `...value` gives in an array or a call.
    pub(super) fn spread(&mut self, value: &Js) -> EvalResult<Arc<Vec<Value>>> {
        match value {
            Js::Value(Value::Array(values)) | Js::Set(values) | Js::Iterator(values) => {
                self.spend(values.len())?;
                Ok(values.clone())
            }
            Js::Value(Value::String(text)) => {
                self.spend(text.len())?;
                self.allocate(text.len() * size_of::<Value>())?;
                Ok(Arc::new(
                    text.chars()
                        .map(|character| Value::String(Str::from_iter([character])))
                        .collect(),
                ))
            }
            _ => Err(Interrupt::Declined),
        }
    }

    fn template(&mut self, texts: &[Str], parts: &[Expr]) -> EvalResult<Js> {
        let mut out = String::new();
        for (position, text) in texts.iter().enumerate() {
            meter::allocate(text.len())?;
            out.push_str(text);
            if let Some(part) = parts.get(position) {
                let value = self.eval(part)?;
                match value.as_str() {
                    Some(text) => {
                        meter::allocate(text.len())?;
                        out.push_str(text);
                    }
                    None => {
                        let text = value.to_text()?;
                        meter::allocate(text.len())?;
                        out.push_str(&text);
                    }
                }
            }
        }
        Ok(Js::from(out))
    }

    fn object(&mut self, fields: &[ObjectField]) -> EvalResult<Js> {
        self.allocate(meter::object_bytes(fields.len()))?;
        let mut object = Object::with_capacity(fields.len());
        for field in fields {
            match field {
                ObjectField::Named(key, value) => {
                    let value = self.eval(value)?.into_value()?;
                    object.insert(key.clone(), value);
                }
                ObjectField::Computed(key, value) => {
                    let key = self.eval(key)?.to_key()?;
                    let value = self.eval(value)?.into_value()?;
                    if names::is_unsafe(&key) {
                        return Err(Interrupt::Declined);
                    }
                    object.insert(key, value);
                }
                ObjectField::Spread(value) => match self.eval(value)? {
                    Js::Value(Value::Object(other)) => {
                        self.spend(other.len())?;
                        self.allocate(meter::object_bytes(other.len()))?;
                        object
                            .extend(other.iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                    Js::Value(
                        Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_),
                    ) => {}
                    _ => return Err(Interrupt::Declined),
                },
            }
        }
        Ok(Value::object(value::in_js_key_order(object)).into())
    }

    fn variable(&mut self, name: &Str) -> EvalResult<Js> {
        match self.scope.variable(name)? {
            // Code nodes have names of their own, and what nobody knows is an error there.
            _ if self.is_code() && !name.starts_with('$') => Err(Interrupt::Declined),
            Some(value) => charge_scope_value(Js::Value(value)),
            None if name.starts_with('$') => Err(Interrupt::Declined),
            None => Ok(UNDEFINED),
        }
    }

    fn root(&mut self, root: Root) -> EvalResult<Js> {
        super::nodes::root(self, root).and_then(charge_scope_value)
    }

    fn set_local(&mut self, slot: u32, value: Js) {
        if let Some(place) = self.locals.get_mut(slot as usize) {
            *place = value;
        }
    }

    /// Calls a function for an element of a list; one that takes only the element needs no list of
    /// arguments.
    pub(super) fn call_for_element(
        &mut self,
        function: &Js,
        element: &Value,
        at: usize,
        list: &Arc<Vec<Value>>,
    ) -> EvalResult<Js> {
        if let Js::Closure(index) = function
            && let Some(FunctionDef { params, rest: None, .. }) =
                self.program.functions.get(*index as usize)
        {
            match &**params {
                [] => {
                    return self.enter(*index, |machine, function| machine.run_plain(function, []));
                }
                [FunctionParam { pattern: BindingPattern::Slot(_), default: None }] => {
                    return self.enter(*index, |machine, function| {
                        machine.run_plain(function, [element.clone().into()])
                    });
                }
                _ => {}
            }
        }
        self.call(
            function,
            smallvec![element.clone().into(), at.into(), Js::Value(Value::Array(list.clone()))],
        )
    }

    /// Calls a function value with arguments.
    pub(super) fn call(&mut self, function: &Js, args: Args) -> EvalResult<Js> {
        let index = match function {
            Js::Closure(index) => *index,
            Js::Builtin(builtin) if builtin.makes_something() => {
                return self.call_builtin(*builtin, args);
            }
            Js::Builtin(builtin) => return super::builtin::call(self, *builtin, args),
            _ => return Err(Interrupt::Declined),
        };
        self.enter(index, |machine, function| machine.run_function(function, args))
    }

    /// Calls one that makes something, and pays for it.
    fn call_builtin(&mut self, function: Builtin, args: Args) -> EvalResult<Js> {
        let before = meter::allocated();
        let made = super::builtin::call(self, function, args);
        charge_result(before, &made)?;
        made
    }

    fn enter(
        &mut self,
        index: u32,
        run: impl FnOnce(&mut Self, &FunctionDef) -> EvalResult<Js>,
    ) -> EvalResult<Js> {
        self.spend(1)?;
        let program = self.program;
        let Some(function) = program.functions.get(index as usize) else {
            return Err(Interrupt::Declined);
        };
        if self.active.contains(&index) || self.depth >= MAX_DEPTH {
            return Err(Interrupt::Declined);
        }
        self.active.push(index);
        self.depth += 1;
        let result = run(self, function);
        self.depth -= 1;
        self.active.pop();
        match result? {
            // The slots a returned function refers to are about to be used again.
            Js::Closure(_) => Err(Interrupt::Declined),
            value => Ok(value),
        }
    }

    /// Calls a function value, or an arrow function where it stands.
    fn apply(&mut self, function: &Expr, args: &[Arg]) -> EvalResult<Js> {
        let index = match function {
            Expr::Local(slot) => match self.locals.get(*slot as usize) {
                Some(Js::Closure(index)) => *index,
                _ => return Err(Interrupt::Declined),
            },
            Expr::Arrow(index) => *index,
            other => match self.eval(other)? {
                Js::Closure(index) => index,
                _ => return Err(Interrupt::Declined),
            },
        };
        let is_plain =
            self.program.functions.get(index as usize).is_some_and(|function| function.is_plain);
        if !is_plain || args.len() > PLAIN_ARGS || args.iter().any(|arg| arg.spread) {
            let args = self.arguments(args)?;
            return self.call(&Js::Closure(index), args);
        }
        let mut values = [UNDEFINED; PLAIN_ARGS];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = self.eval(&arg.value)?;
        }
        self.enter(index, |machine, function| machine.run_plain(function, values))
    }

    /// Runs a plain function: its parameters are the first of its slots, and what is not given is
    /// undefined.
    fn run_plain<const N: usize>(
        &mut self,
        function: &FunctionDef,
        values: [Js; N],
    ) -> EvalResult<Js> {
        let mut values = values.into_iter().take(function.params.len());
        for slot in function.slots.clone() {
            self.set_local(slot, values.next().unwrap_or(UNDEFINED));
        }
        self.run_body(function)
    }

    fn run_function(&mut self, function: &FunctionDef, args: Args) -> EvalResult<Js> {
        self.clear_slots(function);
        let mut args = args.into_iter();
        for param in &function.params {
            let value = args.next().unwrap_or(UNDEFINED);
            self.bind_param(param, value)?;
        }
        if let Some(slot) = function.rest {
            let values = args.map(Js::into_value).collect::<EvalResult<Vec<_>>>()?;
            self.set_local(slot, Value::array(values).into());
        }
        self.run_body(function)
    }

    fn clear_slots(&mut self, function: &FunctionDef) {
        for slot in function.slots.clone() {
            self.set_local(slot, UNDEFINED);
        }
    }

    fn run_body(&mut self, function: &FunctionDef) -> EvalResult<Js> {
        match &function.body {
            FunctionBody::Expr(expr) => self.eval(expr),
            FunctionBody::Block(statements) => Ok(self.block(statements)?.unwrap_or(UNDEFINED)),
        }
    }

    fn bind_param(&mut self, param: &FunctionParam, value: Js) -> EvalResult<()> {
        let value = match &param.default {
            Some(default) if matches!(value, Js::Value(Value::Undefined)) => self.eval(default)?,
            _ => value,
        };
        self.bind(&param.pattern, value)
    }

    fn bind(&mut self, pattern: &BindingPattern, value: Js) -> EvalResult<()> {
        match pattern {
            BindingPattern::Slot(slot) => self.set_local(*slot, value),
            BindingPattern::Array(elements, rest) => {
                let values = self.spread(&value)?;
                for (position, element) in elements.iter().enumerate() {
                    if let Some(param) = element {
                        self.bind_param(
                            param,
                            values.get(position).cloned().unwrap_or_default().into(),
                        )?;
                    }
                }
                if let Some(slot) = rest {
                    self.allocate(values.len() * size_of::<Value>())?;
                    let others = values.iter().skip(elements.len()).cloned().collect();
                    self.set_local(*slot, Value::array(others).into());
                }
            }
            BindingPattern::Object(fields, rest) => {
                if value.is_nullish() {
                    return Err(Interrupt::TypeError);
                }
                for (key, param) in fields {
                    let field = self.member(&value, key)?;
                    self.bind_param(param, field)?;
                }
                if let Some(slot) = rest {
                    let Js::Value(Value::Object(object)) = &value else {
                        return Err(Interrupt::Declined);
                    };
                    self.spend(object.len())?;
                    self.allocate(meter::object_bytes(object.len()))?;
                    let others: Object = object
                        .iter()
                        .filter(|(key, _)| !fields.iter().any(|(taken, _)| taken == *key))
                        .map(|(key, value)| (key.clone(), value.clone()))
                        .collect();
                    self.set_local(*slot, others.into());
                }
            }
        }
        Ok(())
    }

    /// Runs statements; a value when one of them returned.
    fn block(&mut self, statements: &[Statement]) -> EvalResult<Option<Js>> {
        for statement in statements {
            self.spend(1)?;
            match statement {
                Statement::Declare(pattern, value) => {
                    let value = self.eval(value)?;
                    self.bind(pattern, value)?;
                }
                Statement::Expr(expr) => {
                    self.eval(expr)?;
                }
                Statement::Return(None) => return Ok(Some(UNDEFINED)),
                Statement::Return(Some(expr)) => return self.eval(expr).map(Some),
                Statement::If(test, then, otherwise) => {
                    let branch = if self.eval(test)?.is_truthy() { then } else { otherwise };
                    self.depth += 1;
                    let returned = self.block(branch);
                    self.depth -= 1;
                    if let Some(value) = returned? {
                        return Ok(Some(value));
                    }
                }
            }
        }
        Ok(None)
    }
}
