//! A stable sort that takes any comparison, consistent or not, and orders as JavaScript's engines
//! do.
//!
//! Values that cannot be compared (a text and a number, a missing field) make n8n's comparison
//! contradict itself. Rust's own sort may panic then, so this one follows the steps of TimSort, the
//! algorithm behind `Array.sort`.

/// Sorts by `comes_first(one, two)`: whether `one` must stand before `two`.
pub(super) fn stable_sort<T: Clone>(
    mut list: Vec<T>,
    comes_first: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let count = list.len();
    let shortest_run = shortest_run(count);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    while start < count {
        let found = take_run(&mut list[start..], &comes_first);
        let length = found.max(shortest_run).min(count - start);
        insert_rest(&mut list[start..start + length], found, &comes_first);
        runs.push((start, length));
        start += length;
        balance(&mut list, &mut runs, &comes_first);
    }
    while runs.len() > 1 {
        let last = runs.len() - 2;
        let at = if last > 0 && runs[last - 1].1 < runs[last + 1].1 { last - 1 } else { last };
        join(&mut list, &mut runs, at, &comes_first);
    }
    list
}

fn shortest_run(mut count: usize) -> usize {
    let mut odd = 0;
    while count >= 64 {
        odd |= count & 1;
        count >>= 1;
    }
    count + odd
}

/// Finds the sorted run at the front; a falling one is turned round.
fn take_run<T>(list: &mut [T], comes_first: &impl Fn(&T, &T) -> bool) -> usize {
    if list.len() < 2 {
        return list.len();
    }
    let falling = comes_first(&list[1], &list[0]);
    let mut length = 2;
    while length < list.len() && comes_first(&list[length], &list[length - 1]) == falling {
        length += 1;
    }
    if falling {
        list[..length].reverse();
    }
    length
}

/// Puts each element behind the sorted front into its place.
fn insert_rest<T>(list: &mut [T], sorted: usize, comes_first: &impl Fn(&T, &T) -> bool) {
    for next in sorted.max(1)..list.len() {
        let (mut left, mut right) = (0, next);
        while left < right {
            let middle = left + (right - left) / 2;
            if comes_first(&list[next], &list[middle]) {
                right = middle;
            } else {
                left = middle + 1;
            }
        }
        list[left..=next].rotate_right(1);
    }
}

/// Joins runs until their lengths fall fast enough from bottom to top.
fn balance<T: Clone>(
    list: &mut [T],
    runs: &mut Vec<(usize, usize)>,
    comes_first: &impl Fn(&T, &T) -> bool,
) {
    while runs.len() > 1 {
        let at = runs.len() - 2;
        let length = |index: usize| runs[index].1;
        let too_short =
            |index: usize| index > 0 && length(index - 1) <= length(index) + length(index + 1);
        if too_short(at) || (at > 1 && too_short(at - 1)) {
            let at = if length(at - 1) < length(at + 1) { at - 1 } else { at };
            join(list, runs, at, comes_first);
        } else if length(at) <= length(at + 1) {
            join(list, runs, at, comes_first);
        } else {
            break;
        }
    }
}

fn join<T: Clone>(
    list: &mut [T],
    runs: &mut Vec<(usize, usize)>,
    at: usize,
    comes_first: &impl Fn(&T, &T) -> bool,
) {
    let ((start, one), (_, two)) = (runs[at], runs[at + 1]);
    let both = &mut list[start..start + one + two];
    let left = both[..one].to_vec();
    let (mut from_left, mut from_right) = (0, one);
    for place in 0..both.len() {
        let take_right = from_right < both.len()
            && (from_left == left.len() || comes_first(&both[from_right], &left[from_left]));
        if take_right {
            both.swap(place, from_right);
            from_right += 1;
        } else {
            both[place] = left[from_left].clone();
            from_left += 1;
        }
        if from_left == left.len() {
            break;
        }
    }
    runs[at] = (start, one + two);
    runs.remove(at + 1);
}

#[cfg(test)]
mod tests {
    use super::stable_sort;

    #[test]
    fn it_sorts_stably_at_any_size() {
        for size in [0, 1, 2, 31, 64, 65, 1000, 5000] {
            let list: Vec<(u64, usize)> = (0..size)
                .map(|index| ((index as u64).wrapping_mul(2_654_435_761) % 97, index))
                .collect();
            let mut expected = list.clone();
            expected.sort();
            assert_eq!(stable_sort(list, |one, two| one.0 < two.0), expected, "{size} elements");
        }
    }

    #[test]
    fn a_comparison_that_contradicts_itself_loses_nothing() {
        let list: Vec<usize> = (0..3000).collect();
        let mut sorted = stable_sort(list.clone(), |one, two| (one * 7 + two * 13) % 3 == 0);
        sorted.sort_unstable();
        assert_eq!(sorted, list);
    }
}
