//! The peer of `pnpm bench text --vs tantivy`: the same documents and queries in a Tantivy index.
//!
//! `build <documents.jsonl> <folder>` writes an index, `query <folder> <queries.json>` asks it. Each prints its figures as
//! one line of JSON. They are two processes, so that memory is that of an index which is only read.
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::ops::Bound;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tantivy::collector::{Count, TopDocs};
use tantivy::columnar::Column;
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, Index, IndexWriter, Order, Searcher, TantivyDocument, Term};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const FIELDS: [&str; 5] = ["name", "brand", "category", "attributes", "description"];
const TOKENIZER: &str = "en_stem";
/// One segment for up to some hundred thousand documents.
const WRITER_BYTES: usize = 1 << 30;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let figures = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build", documents, folder] => build(documents, folder)?,
        ["query", folder, queries] => query(folder, queries)?,
        _ => return Err("Usage: tantivy-peer build <documents.jsonl> <folder> | query <folder> <queries.json>".into()),
    };
    println!("{figures}");
    Ok(())
}

/// Like the other index: one thread, one segment at the end, term frequencies without positions, no stored texts.
fn build(documents: &str, folder: &str) -> Result<Value> {
    let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs);
    let text = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    let fields = FIELDS.map(|name| schema.add_text_field(name, text.clone()));
    let id = schema.add_u64_field("id", FAST);
    let price = schema.add_u64_field("price", FAST);
    fs::create_dir_all(folder)?;
    let index = Index::create_in_dir(folder, schema.build())?;

    // Reading JSON is no part of building: the other index gets its documents as objects.
    let mut read: Vec<TantivyDocument> = Vec::new();
    for line in BufReader::new(File::open(documents)?).lines() {
        let source: Value = serde_json::from_str(&line?)?;
        let mut document = TantivyDocument::default();
        document.add_u64(id, whole(&source["id"])?);
        document.add_u64(price, whole(&source["price"])?);
        for (field, name) in fields.iter().zip(FIELDS) {
            document.add_text(*field, source[name].as_str().ok_or("a field is not a text")?);
        }
        read.push(document);
    }

    let started = Instant::now();
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    for document in read {
        writer.add_document(document)?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    let seconds = started.elapsed().as_secs_f64();

    let mut bytes = 0;
    for file in fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(json!({ "buildSeconds": seconds, "diskBytes": bytes }))
}

/// After a second of other queries, asks the timed ones one after the other, then those of each thread for some seconds: on
/// one thread, and on two.
fn query(folder: &str, queries: &str) -> Result<Value> {
    let task: Value = serde_json::from_reader(BufReader::new(File::open(queries)?))?;
    let peer = Peer::open(folder, &task["weights"])?;
    let mut analyzer = peer.analyzer.clone();
    let warm_up = requests(&task["warmUp"])?;
    let warm_up_at = Instant::now();
    while warm_up_at.elapsed() < Duration::from_secs(1) {
        for request in &warm_up {
            peer.search(request, &mut analyzer)?;
        }
    }
    let timed = requests(&task["timed"])?;
    let mut milliseconds = Vec::new();
    let mut totals = Vec::new();
    for request in &timed {
        let started = Instant::now();
        let (_, total) = peer.search(request, &mut analyzer)?;
        milliseconds.push(started.elapsed().as_secs_f64() * 1000.0);
        totals.push(total);
    }
    let threads = task["threads"].as_array().ok_or("threads is not a list")?;
    let lists = threads.iter().map(requests).collect::<Result<Vec<_>>>()?;
    let seconds = Duration::from_secs(whole(&task["seconds"])?);
    let qps1 = throughput(&peer, &lists[..1], seconds);
    let qps2 = throughput(&peer, &lists, seconds);
    Ok(json!({
        "milliseconds": milliseconds, "totals": totals, "qps1": qps1, "qps2": qps2, "residentMb": resident_mb(),
    }))
}

struct Request {
    text: String,
    prices: Option<(u64, u64)>,
    by_price: bool,
    offset: usize,
    limit: usize,
}

fn requests(list: &Value) -> Result<Vec<Request>> {
    let read = |query: &Value| {
        let filters = &query["filters"];
        Ok(Request {
            text: query["text"].as_str().ok_or("text is missing")?.into(),
            prices: filters["minPriceMinor"].as_u64().zip(filters["maxPriceMinor"].as_u64()),
            by_price: query["sort"] == "price",
            offset: whole(&query["offset"])? as usize,
            limit: whole(&query["limit"])? as usize,
        })
    };
    list.as_array().ok_or("queries are not a list")?.iter().map(read).collect()
}

struct Peer {
    searcher: Searcher,
    fields: Vec<(Field, f32)>,
    price: Field,
    /// The column `id` of each segment.
    ids: Vec<Column<u64>>,
    analyzer: TextAnalyzer,
}

impl Peer {
    fn open(folder: &str, weights: &Value) -> Result<Peer> {
        let index = Index::open_in_dir(folder)?;
        let schema = index.schema();
        let weigh = |name: &str| {
            let weight = weights[name].as_f64().ok_or_else(|| format!("{name} has no weight"))?;
            Ok((schema.get_field(name)?, weight as f32))
        };
        let searcher = index.reader()?.searcher();
        let segments = searcher.segment_readers().iter();
        Ok(Peer {
            fields: FIELDS.into_iter().map(weigh).collect::<Result<_>>()?,
            price: schema.get_field("price")?,
            ids: segments.map(|one| one.fast_fields().u64("id")).collect::<tantivy::Result<_>>()?,
            analyzer: index.tokenizers().get(TOKENIZER).ok_or("the tokenizer is missing")?,
            searcher,
        })
    }

    /// The ids of the page, and the exact total. Each word has to be in some field.
    fn search(&self, request: &Request, analyzer: &mut TextAnalyzer) -> tantivy::Result<(Vec<u64>, usize)> {
        let mut words: Vec<Box<dyn Query>> = Vec::new();
        let mut tokens = analyzer.token_stream(&request.text);
        tokens.process(&mut |token| words.push(self.in_some_field(&token.text)));
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = words.into_iter().map(|word| (Occur::Must, word)).collect();
        if let Some((min, max)) = request.prices {
            let bound = |price| Bound::Included(Term::from_field_u64(self.price, price));
            clauses.push((Occur::Must, Box::new(RangeQuery::new(bound(min), bound(max)))));
        }
        let query: Box<dyn Query> = match clauses.len() {
            1 => clauses.remove(0).1,
            _ => Box::new(BooleanQuery::new(clauses)),
        };
        let page = TopDocs::with_limit(request.limit).and_offset(request.offset);
        if request.by_price {
            let by_price = page.order_by_fast_field::<u64>("price", Order::Asc);
            let (hits, total) = self.searcher.search(&query, &(by_price, Count))?;
            return Ok((self.ids_of(hits.iter().map(|(_, hit)| hit)), total));
        }
        // One pass, not one for the page, which could skip documents, and one that only counts: that is no faster here.
        let (hits, total) = self.searcher.search(&query, &(page.order_by_score(), Count))?;
        Ok((self.ids_of(hits.iter().map(|(_, hit)| hit)), total))
    }

    fn in_some_field(&self, word: &str) -> Box<dyn Query> {
        let in_field = |&(field, weight): &(Field, f32)| -> Box<dyn Query> {
            let query = TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs);
            Box::new(BoostQuery::new(Box::new(query), weight))
        };
        Box::new(BooleanQuery::union(self.fields.iter().map(in_field).collect()))
    }

    fn ids_of<'a>(&self, hits: impl Iterator<Item = &'a DocAddress>) -> Vec<u64> {
        hits.filter_map(|hit| self.ids[hit.segment_ord as usize].first(hit.doc_id)).collect()
    }
}

/// Queries a second, of all threads together, after a warm-up of a second.
fn throughput(peer: &Peer, lists: &[Vec<Request>], duration: Duration) -> f64 {
    std::thread::scope(|scope| {
        let start = |list| {
            scope.spawn(move || {
                ask(peer, list, Duration::from_secs(1));
                ask(peer, list, duration)
            })
        };
        let threads: Vec<_> = lists.iter().map(|list| start(list)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread failed")).sum()
    })
}

fn ask(peer: &Peer, list: &[Request], duration: Duration) -> f64 {
    let mut analyzer = peer.analyzer.clone();
    let started = Instant::now();
    let mut responded = 0;
    for request in list.iter().cycle() {
        peer.search(request, &mut analyzer).expect("a query failed");
        responded += 1;
        if started.elapsed() >= duration {
            break;
        }
    }
    f64::from(responded) / started.elapsed().as_secs_f64()
}

/// Nothing where the system has no /proc.
fn resident_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(kilobytes.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1024.0)
}

fn whole(value: &Value) -> Result<u64> {
    Ok(value.as_u64().ok_or("a number is missing")?)
}
