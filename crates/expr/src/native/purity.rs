//! Tells whether an expression only reads the data it is given, whoever evaluates it.
//!
//! Every form is refused that could get hold of a function which changes what it is called on or
//! given: only names that are known to belong to harmless methods are called, and what is read
//! under a name that is computed might be any function.

use super::ast::*;
use super::{ProgramInner, names};
use model::Value;

/// Methods of arrays that change them.
const CHANGING: [&str; 9] =
    ["copyWithin", "fill", "pop", "push", "reverse", "shift", "sort", "splice", "unshift"];

/// Methods of dates, patterns and nodes.
const HARMLESS: [&str; 38] = [
    "all",
    "as",
    "diff",
    "diffNow",
    "endOf",
    "exec",
    "first",
    "getDate",
    "getDay",
    "getFullYear",
    "getHours",
    "getMinutes",
    "getMonth",
    "getTime",
    "has",
    "hasSame",
    "itemMatching",
    "last",
    "pairedItem",
    "setLocale",
    "setZone",
    "startOf",
    "test",
    "toFormat",
    "toISO",
    "toISODate",
    "toISOString",
    "toISOTime",
    "toJSDate",
    "toJSON",
    "toLocal",
    "toMillis",
    "toObject",
    "toRelative",
    "toSQL",
    "toSeconds",
    "toUTC",
    "toUnixInteger",
];

pub(super) fn only_reads(program: &ProgramInner) -> bool {
    expr(&program.root) && program.functions.iter().all(function)
}

fn function(function: &FunctionDef) -> bool {
    let has_harmless_body = match &function.body {
        FunctionBody::Expr(body) => expr(body),
        FunctionBody::Block(statements) => block(statements),
    };
    has_harmless_body && function.params.iter().all(param)
}

fn param(param: &FunctionParam) -> bool {
    pattern(&param.pattern) && param.default.as_ref().is_none_or(expr)
}

fn pattern(of: &BindingPattern) -> bool {
    match of {
        BindingPattern::Slot(_) => true,
        BindingPattern::Array(elements, _) => elements.iter().flatten().all(param),
        BindingPattern::Object(fields, _) => {
            fields.iter().all(|(key, field)| is_data(key) && param(field))
        }
    }
}

fn block(statements: &[Statement]) -> bool {
    statements.iter().all(|statement| match statement {
        Statement::Declare(to, value) => pattern(to) && expr(value),
        Statement::If(test, then, otherwise) => expr(test) && block(then) && block(otherwise),
        Statement::Return(value) => value.as_ref().is_none_or(expr),
        Statement::Expr(value) => expr(value),
    })
}

fn expr(of: &Expr) -> bool {
    match of {
        Expr::Literal(_)
        | Expr::Local(_)
        | Expr::Root(_)
        | Expr::Builtin(_)
        | Expr::RegExp(_)
        | Expr::Arrow(_) => true,
        // Other names may be functions of the language.
        Expr::Variable(name) => name.starts_with('$'),
        Expr::Path { keys, .. } => keys.iter().all(|key| is_data(key)),
        Expr::Template { parts, .. } => parts.iter().all(expr),
        Expr::Member { object, key, .. } => is_data(key) && expr(object),
        // A name that is computed could be that of a method.
        Expr::Index { object, index, .. } => {
            matches!(**index, Expr::Literal(Value::Number(_))) && expr(object)
        }
        Expr::Chain(inner) | Expr::Assign { value: inner, .. } => expr(inner),
        Expr::Method(call) => is_harmless(&call.name) && expr(&call.object) && all(&call.args),
        Expr::Static { class, name, args } => is_harmless_static(*class, name) && all(args),
        Expr::Call { args, .. } | Expr::New { args, .. } | Expr::Array(args) => all(args),
        Expr::Apply { function, args } => expr(function) && all(args),
        Expr::Object(fields) => fields.iter().all(|field| match field {
            ObjectField::Named(_, value) | ObjectField::Spread(value) => expr(value),
            ObjectField::Computed(key, value) => expr(key) && expr(value),
        }),
        Expr::Unary { operand, .. } => expr(operand),
        Expr::Binary { left, right, .. } | Expr::Logical { left, right, .. } => {
            expr(left) && expr(right)
        }
        Expr::Sum { whole, .. } => expr(whole),
        Expr::InstanceOf { value, .. } => expr(value),
        Expr::Conditional { test, then, otherwise } => expr(test) && expr(then) && expr(otherwise),
        Expr::Sequence(parts) => parts.iter().all(expr),
        Expr::SetField { .. } | Expr::DeleteField(_) => false,
    }
}

fn all(args: &[Arg]) -> bool {
    args.iter().all(|arg| expr(&arg.value))
}

/// Whether reading this of a piece of data gives data, or at most a function that changes nothing,
/// whatever it is given. Dates have functions that set something, and functions can be called
/// through some of their own.
fn is_data(key: &str) -> bool {
    !(CHANGING.contains(&key)
        || key.starts_with("set")
        || matches!(key, "call" | "apply" | "bind")
        || names::is_unsafe(key))
}

fn is_harmless(method: &str) -> bool {
    let is_known = names::is_prototype_method(method) && !names::is_unsafe(method);
    (is_known && !CHANGING.contains(&method))
        || names::is_extension(method)
        || HARMLESS.contains(&method)
}

fn is_harmless_static(class: Class, name: &str) -> bool {
    match class {
        Class::Object => {
            matches!(name, "keys" | "values" | "entries" | "fromEntries" | "hasOwn" | "assign")
        }
        Class::Array => matches!(name, "isArray" | "of" | "from"),
        Class::Math
        | Class::Json
        | Class::String
        | Class::Number
        | Class::Date
        | Class::DateTime
        | Class::Set
        | Class::RegExp => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::only_reads;

    #[test]
    fn issue_14_00_only_what_is_fully_understood_counts_as_reading() {
        for source in [
            "$json.a === 1",
            "$json.a >= 2 && $json['sorted'] != 4 ? $json.list[0] : `${$json.n}`",
            "$json.list.map((x, i) => ({ ...x, i })).filter(Boolean).length",
            "$json.tags.first().toTitleCase()",
            "DateTime.fromISO($json.at).plus({ days: 1 }).toFormat('yyyy')",
            "Object.assign({}, $json, { b: 1 })",
            "$('Start').item.json.name.replace(/a/g, x => x.toUpperCase())",
        ] {
            assert!(only_reads(source), "{source}");
        }
        for source in [
            "$json.a.sort()",
            "$json.a = 1",
            "delete $json.a",
            "$json.n++",
            "$json.a[k]()",
            "Object.assign($json, {})",
            "Reflect.deleteProperty($json, 'role')",
            "1 //\r, $json.a = 1",
            "[1].map($json.list.push, $json.list)",
            "[1].map($json.list['push'], $json.list)",
            "[1].map($json.list['pu' + 'sh'], $json.list)",
            "(f => f.call($json.list, 1))($json.list['pu' + 'sh'])",
            "(({ push }) => [1].map(push, $json.list))($json.list)",
            "(({ ['pu' + 'sh']: p }) => [1].map(p, $json.list))($json.list)",
            "Object.freeze($json)",
            "[[$json, 'a']].map(pair => Object.fromEntries.call(pair))",
            "$evaluateExpression('{{ $json.a = 1 }}')",
            "$json.at.setDate(1)",
            "[1].map($json.at.setDate, $json.at)",
            "[1].map($json.list.map.call, $json.list)",
            "$json.constructor",
        ] {
            assert!(!only_reads(source), "{source}");
        }
    }
}
