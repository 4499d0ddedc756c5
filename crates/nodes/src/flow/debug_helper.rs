//! Makes trouble on purpose, or random data to try a workflow with.

use formats::ticker::tick;
use node_api::ErrorClass;
use node_api::prelude::*;
use std::ops::ControlFlow;

pub(crate) struct DebugHelper;

const MAX_GENERATED: f64 = 100_000.0;
const VALUES_PER_TICK: usize = 64;
/// What the values of one list may hold; until it is whole it counts for no run.
const MAX_LIST_BYTES: usize = 16 << 20;

impl Node for DebugHelper {
    fn spec() -> Spec {
        let random = ["randomData"];
        Spec::new(
            "n8n-nodes-base.debugHelper",
            &[1.0],
            "DebugHelper",
            "Throw errors or generate random data",
        )
        .group(NodeGroup::Flow)
        .params([
            Param::choice(
                "category",
                "Category",
                &[
                    ("doNothing", "Do nothing"),
                    ("throwError", "Throw error"),
                    ("oom", "Out of memory"),
                    ("randomData", "Generate random data"),
                ],
            )
            .preset("throwError")
            .help("What to do."),
            Param::choice(
                "throwErrorType",
                "Error type",
                &[
                    ("NodeApiError", "NodeApiError"),
                    ("NodeOperationError", "NodeOperationError"),
                    ("Error", "Error"),
                ],
            )
            .show("category", &["throwError"])
            .help("Type of the error."),
            Param::text("throwErrorMessage", "Error message", "Node has thrown an error")
                .show("category", &["throwError"])
                .help("The message of the error."),
            Param::number("memorySizeValue", "Memory size to generate", 10)
                .show("category", &["oom"])
                .help("In megabytes."),
            Param::choice(
                "randomDataType",
                "Data type",
                &[
                    ("address", "Address"),
                    ("latLong", "Coordinates"),
                    ("creditCard", "Credit card"),
                    ("email", "Email"),
                    ("ipv4", "IPv4"),
                    ("ipv6", "IPv6"),
                    ("macAddress", "MAC"),
                    ("nanoid", "NanoIds"),
                    ("url", "URL"),
                    ("user", "User data"),
                    ("uuid", "UUID"),
                    ("semver", "Version"),
                ],
            )
            .preset("user")
            .show("category", &random)
            .help("Type of data to generate."),
            Param::text(
                "nanoidAlphabet",
                "NanoId alphabet",
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            )
            .show("category", &random)
            .show("randomDataType", &["nanoid"])
            .help("Alphabet of the IDs."),
            Param::text("nanoidLength", "NanoId length", "16")
                .show("category", &random)
                .show("randomDataType", &["nanoid"])
                .help("Length of each ID."),
            Param::text("randomDataSeed", "Seed", "")
                .show("category", &random)
                .help("The same seed makes the same data."),
            Param::number("randomDataCount", "Number of items to generate", 10)
                .show("category", &random)
                .help("Number of items per input item."),
            Param::flag("randomDataSingleArray", "Output as single array", false)
                .show("category", &random)
                .help("One item with all of them, instead of one item each."),
        ])
        .hint("Use it to test how a workflow handles errors, or to fill it with sample users.")
        .note("Out of memory is not supported: runs already have a memory limit.")
        .note("A seed generates the same data every time, but not the same data as in n8n.")
        .repeatable()
        .computes()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let category = ctx.text("category", 0)?;
        let mut output = ctx.builder();
        for index in 0..items.len() {
            let done = match category.as_str() {
                "throwError" => Err(thrown(ctx)?),
                "oom" => Err(NodeError::disallowed("The Out of Memory category is not supported")
                    .hint(
                        "Runs already have a memory limit. Test the workflow with more or larger \
                         items instead.",
                    )),
                "randomData" => generate(ctx, |json| {
                    output.push(Item::new(json).paired_with(index));
                    if output.is_failed() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                }),
                _ => Ok(()),
            };
            if let Err(error) = done {
                output.push(ctx.failed_item(index, error)?);
            }
            if output.is_failed() {
                break;
            }
        }
        Ok(vec![output.finish()])
    }
}

fn thrown(ctx: &Ctx<'_>) -> Result<NodeError, NodeError> {
    let class = match ctx.text("throwErrorType", 0)?.as_str() {
        "NodeApiError" => ErrorClass::Api,
        "Error" => ErrorClass::Plain,
        _ => ErrorClass::Operation,
    };
    Ok(NodeError::failed(ctx.text("throwErrorMessage", 0)?).class(class))
}

/// Hands random values over, until there are enough of them.
fn generate(
    ctx: &Ctx<'_>,
    mut each: impl FnMut(Value) -> ControlFlow<()>,
) -> Result<(), NodeError> {
    let count = ctx.number("randomDataCount", 0)?;
    if !(0.0..=MAX_GENERATED).contains(&count) {
        return Err(NodeError::parameter(
            "randomDataCount",
            format!("The number of items must be between 0 and {MAX_GENERATED}"),
        ));
    }
    let mut dice = RandomSource::new(ctx, &ctx.text("randomDataSeed", 0)?);
    let kind = ctx.text("randomDataType", 0)?;
    let alphabet: Vec<char> = ctx.text("nanoidAlphabet", 0)?.chars().collect();
    let length = ctx.text("nanoidLength", 0)?.trim().parse().unwrap_or(16).min(1000);
    let is_one_list = ctx.flag("randomDataSingleArray", 0)?;
    let (mut list, mut list_bytes) = (Vec::new(), 0);
    for number in 0..count as usize {
        // A value may be a thousand letters.
        if number.is_multiple_of(VALUES_PER_TICK) {
            tick()?;
        }
        let value = dice.value(&kind, &alphabet, length);
        if is_one_list {
            list_bytes += value.estimated_bytes();
            if list_bytes > MAX_LIST_BYTES {
                return Err(NodeError::parameter(
                    "randomDataSingleArray",
                    format!("The list exceeds the limit of {} MB", MAX_LIST_BYTES >> 20),
                )
                .hint("Generate fewer or shorter values, or return them as separate items."));
            }
            list.push(value);
        } else if each(value).is_break() {
            return Ok(());
        }
    }
    if is_one_list {
        let _ = each(Value::object(Object::from_iter([("generatedItems", Value::array(list))])));
    }
    Ok(())
}

const FIRST: &[&str] = &[
    "Ada", "Bela", "Chidi", "Dora", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jun", "Kaya", "Lin",
    "Mara", "Nils", "Olga", "Priya",
];
const LAST: &[&str] = &[
    "Abbott", "Bauer", "Costa", "Dahl", "Eriksen", "Fuchs", "Garcia", "Hughes", "Ito", "Jansen",
    "Kovac", "Lund", "Moreau", "Novak",
];
const STREETS: &[&str] = &[
    "Oak Street",
    "Mill Lane",
    "High Street",
    "Park Avenue",
    "Station Road",
    "Lake View",
    "Church Hill",
    "Garden Way",
];
const CITIES: &[&str] =
    &["Ashford", "Brookfield", "Clayton", "Dover", "Easton", "Fairview", "Greenville", "Hudson"];
const STATES: &[&str] = &[
    "Alabama",
    "California",
    "Georgia",
    "Iowa",
    "Maine",
    "Nevada",
    "Ohio",
    "Texas",
    "Utah",
    "Vermont",
];
const COUNTRIES: &[&str] = &[
    "Austria", "Brazil", "Canada", "Denmark", "Estonia", "France", "Ghana", "India", "Japan",
    "Kenya",
];

/// A small generator that a seed makes repeatable.
struct RandomSource(u64);

impl RandomSource {
    fn new(ctx: &Ctx<'_>, seed: &str) -> Self {
        if seed.is_empty() {
            let mut bytes = [0; 8];
            ctx.host().fill_random(&mut bytes);
            return Self(u64::from_le_bytes(bytes));
        }
        Self(seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to and without `bound`.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list.get(self.below(list.len())).copied().unwrap_or_default()
    }

    fn text(&mut self, alphabet: &[char], length: usize) -> String {
        (0..length).filter_map(|_| alphabet.get(self.below(alphabet.len())).copied()).collect()
    }

    fn digits(&mut self, length: usize) -> String {
        self.text(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], length)
    }

    fn hex(&mut self, length: usize) -> String {
        (0..length).filter_map(|_| char::from_digit(self.below(16) as u32, 16)).collect()
    }

    fn email(&mut self) -> String {
        format!(
            "{}.{}@example.{}",
            self.pick(FIRST),
            self.pick(LAST),
            self.pick(&["com", "org", "net"])
        )
        .to_lowercase()
    }

    fn uuid(&mut self) -> String {
        let variant = self.pick(&["8", "9", "a", "b"]).to_owned();
        format!(
            "{}-{}-4{}-{variant}{}-{}",
            self.hex(8),
            self.hex(4),
            self.hex(3),
            self.hex(3),
            self.hex(12)
        )
    }

    fn value(&mut self, kind: &str, alphabet: &[char], length: usize) -> Value {
        match kind {
            "address" => json!({
                "firstname": self.pick(FIRST),
                "lastname": self.pick(LAST),
                "street": format!("{} {}", self.below(200) + 1, self.pick(STREETS)),
                "city": self.pick(CITIES),
                "zip": self.digits(5),
                "state": self.pick(STATES),
                "country": self.pick(COUNTRIES)
            }),
            "latLong" => {
                let (north, east) = (
                    self.below(18_000_000) as f64 / 1e5 - 90.0,
                    self.below(36_000_000) as f64 / 1e5 - 180.0,
                );
                json!({ "location": { "latitude": north, "longitude": east } })
            }
            "creditCard" => json!({
                "type": self.pick(&["MasterCard", "Visa"]),
                "number": format!("{}-{}-{}-{}", self.digits(4), self.digits(4), self.digits(4), self.digits(4)),
                "ccv": self.digits(3),
                "exp": format!("{:02}/{:02}", self.below(12) + 1, self.below(40) + 1),
                "holder_name": format!("{} {}", self.pick(FIRST), self.pick(LAST))
            }),
            "email" => json!({ "email": self.email(), "confirmed": self.below(2) == 0 }),
            "ipv4" => {
                json!({ "ip": format!("{}.{}.{}.{}", self.below(256), self.below(256), self.below(256), self.below(256)) })
            }
            "ipv6" => json!({ "ipv6": (0..8).map(|_| self.hex(4)).collect::<Vec<_>>().join(":") }),
            "macAddress" => {
                json!({ "mac": (0..6).map(|_| self.hex(2)).collect::<Vec<_>>().join(":") })
            }
            "nanoid" => json!({ "nanoId": self.text(alphabet, length) }),
            "url" => {
                json!({ "url": format!("https://{}.example.com", self.pick(LAST).to_lowercase()) })
            }
            "uuid" => json!({ "uuid": self.uuid() }),
            "semver" => {
                json!({ "version": format!("{}.{}.{}", self.below(10), self.below(20), self.below(20)) })
            }
            _ => json!({
                "uid": self.uuid(),
                "email": self.email(),
                "firstname": self.pick(FIRST),
                "lastname": self.pick(LAST),
                "password": self.text(&"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".chars().collect::<Vec<_>>(), 12)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn the_same_seed_makes_the_same_people() {
        let params = |seed: &str| json!({ "category": "randomData", "randomDataSeed": seed, "randomDataCount": 3 });
        let one = run::<DebugHelper>(params("a"), json!([{}])).await.unwrap();
        assert_eq!(one, run::<DebugHelper>(params("a"), json!([{}])).await.unwrap());
        assert_ne!(one, run::<DebugHelper>(params("b"), json!([{}])).await.unwrap());
        assert_eq!(one[0].as_array().unwrap().len(), 3);
    }

    #[tokio::test]
    async fn the_error_is_of_the_class_that_was_chosen() {
        let params = json!({ "throwErrorType": "NodeApiError", "throwErrorMessage": "Boom" });
        let error = run::<DebugHelper>(params, json!([{}])).await.unwrap_err();
        assert_eq!(
            (error.message().as_str(), error.to_run_error("x").name.as_str()),
            ("Boom", "NodeApiError")
        );
    }

    #[tokio::test]
    async fn issue_14_06_much_random_data_is_made_off_the_threads_that_serve() {
        assert!(DebugHelper::spec().computes);
        let params = |is_one_list: bool| json!({ "category": "randomData", "randomDataType": "nanoid", "nanoidLength": "1000", "randomDataCount": 20_000, "randomDataSingleArray": is_one_list });
        let error = run::<DebugHelper>(params(true), json!([{}])).await.unwrap_err();
        assert_eq!(error.message(), "The list exceeds the limit of 16 MB");
        // It ends once its time is over, in the middle of an item.
        let allowance = compute::Allowance::new(
            std::time::Duration::from_millis(1),
            std::time::Duration::from_secs(60),
        );
        let work = Box::pin(run::<DebugHelper>(params(false), json!([{}])));
        assert_eq!(
            compute::Offload::new(work, allowance).await.unwrap_err().code(),
            Code::RUN_CPU_TIME
        );
    }

    #[tokio::test]
    async fn filling_the_memory_is_refused() {
        let error =
            run::<DebugHelper>(json!({ "category": "oom" }), json!([{}])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_DISALLOWED);
    }
}
