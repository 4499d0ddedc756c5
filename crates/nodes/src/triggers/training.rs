//! Two nodes of n8n's tutorials: a small list of customers and a way to pretend to write to them.

use node_api::prelude::*;

pub(crate) struct CustomerDatastore;

impl Node for CustomerDatastore {
    fn spec() -> Spec {
        let operations = [("getOnePerson", "Get one person"), ("getAllPeople", "Get all people")];
        Spec::new("n8n-nodes-base.n8nTrainingCustomerDatastore", &[1.0], "Customer Datastore", "Return sample customers").legacy()
            .param(Param::choice("operation", "Operation", &operations).help("Whether to return one customer or several."))
            .param(Param::flag("returnAll", "Return all", false).show("operation", &["getAllPeople"]).help("Return all customers."))
            .param(
                Param::number("limit", "Limit", 5)
                    .between(1.0, 10.0)
                    .show("operation", &["getAllPeople"])
                    .show("returnAll", &[false])
                    .help("Maximum number of customers to return."),
            )
            .hint("Sample data for tutorials and testing; none of it is real.")
            .repeatable()
            .example(
                "The first customer",
                "{}",
                "[{}]",
                r#"[[{
                    "id": "23423532", "name": "Jay Gatsby", "email": "gatsby@west-egg.com", "notes": "Keeps asking about a green light??",
                    "country": "US", "created": "1925-04-10"
                }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for index in 0..items.len() {
            let count = match ctx.text("operation", index)?.as_str() {
                "getAllPeople" if ctx.flag("returnAll", index)? => CUSTOMERS.len(),
                "getAllPeople" => ctx.number("limit", index)?.max(0.0) as usize,
                _ => 1,
            };
            output.extend(
                CUSTOMERS
                    .iter()
                    .take(count)
                    .map(|customer| Item::new(customer.fields()).paired_with(index)),
            );
        }
        Ok(vec![output.finish()])
    }
}

pub(crate) struct CustomerMessenger;

impl Node for CustomerMessenger {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.n8nTrainingCustomerMessenger",
            &[1.0],
            "Customer Messenger",
            "Simulate sending a message to a customer",
        )
        .legacy()
        .param(
            Param::text("customerId", "Customer ID", "").required().help("The ID of the customer."),
        )
        .param(Param::text("message", "Message", "").required().help("Text of the message."))
        .hint("For tutorials and testing; nothing is sent.")
        .repeatable()
        .example(
            "One message",
            r#"{ "customerId": "1", "message": "Hello" }"#,
            "[{}]",
            r#"[[{ "output": "Sent message to customer 1:  Hello" }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        ctx.map_items(&items, |index, _| {
            let (customer, message) = (ctx.text("customerId", index)?, ctx.text("message", index)?);
            Ok(Item::new(Object::from_iter([(
                "output",
                format!("Sent message to customer {customer}:  {message}"),
            )])))
        })
    }
}

struct Customer {
    id: &'static str,
    name: &'static str,
    email: &'static str,
    notes: &'static str,
    country: Option<&'static str>,
    created: &'static str,
}

impl Customer {
    fn fields(&self) -> Object {
        Object::from_iter([
            ("id", Value::from(self.id)),
            ("name", self.name.into()),
            ("email", self.email.into()),
            ("notes", self.notes.into()),
            ("country", self.country.map_or(Value::Null, Value::from)),
            ("created", self.created.into()),
        ])
    }
}

const CUSTOMERS: [Customer; 5] = [
    Customer {
        id: "23423532",
        name: "Jay Gatsby",
        email: "gatsby@west-egg.com",
        notes: "Keeps asking about a green light??",
        country: Some("US"),
        created: "1925-04-10",
    },
    Customer {
        id: "23423533",
        name: "José Arcadio Buendía",
        email: "jab@macondo.co",
        notes: "Lots of people named after him. Very confusing",
        country: Some("CO"),
        created: "1967-05-05",
    },
    Customer {
        id: "23423534",
        name: "Max Sendak",
        email: "info@in-and-out-of-weeks.org",
        notes: "Keeps rolling his terrible eyes",
        country: Some("US"),
        created: "1963-04-09",
    },
    Customer {
        id: "23423535",
        name: "Zaphod Beeblebrox",
        email: "captain@heartofgold.com",
        notes: "Felt like I was talking to more than one person",
        country: None,
        created: "1979-10-12",
    },
    Customer {
        id: "23423536",
        name: "Edmund Pevensie",
        email: "edmund@narnia.gov",
        notes: "Passionate sailor",
        country: Some("UK"),
        created: "1950-10-16",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn all_people_are_given_for_each_item_up_to_the_limit() {
        let count = async |parameters: Value| {
            run::<CustomerDatastore>(parameters, json!([{}, {}])).await.unwrap()[0]
                .as_array()
                .unwrap()
                .len()
        };
        assert_eq!(count(json!({ "operation": "getAllPeople" })).await, 10);
        assert_eq!(count(json!({ "operation": "getAllPeople", "limit": 2 })).await, 4);
        assert_eq!(count(json!({ "operation": "getAllPeople", "returnAll": true })).await, 10);
        assert_eq!(count(json!({})).await, 2);
    }
}
