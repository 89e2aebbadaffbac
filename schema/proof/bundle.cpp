// Reading and checking bundles. `tools/verify` has the same steps in Python and JavaScript; a test holds the three
// together, place by place.
#include "schema/proof/bundle.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

namespace whence::schema::proof {
namespace {

namespace bj = boost::json;

struct Rule {
  std::string_view name;
  std::string_view sentence;
};
constexpr auto rules = std::to_array<Rule>({
    {"size", "a bundle has at most 64 MiB"},
    {"json", "a bundle is JSON without repeated members"},
    {"type", "the member is absent, or not what the format wants"},
    {"format", "the format is whence-proof-1 or whence-erasure-1"},
    {"unknown", "it has a member that the format does not have"},
    {"count", "there are 1 to 100,000 events"},
    {"checkpoint", "the checkpoint is no signed note of an origin, a size and a root"},
    {"signature",
     "no key of the log that was given signed the checkpoint, nor one to which these hand over here, or a signature "
     "does "
     "not hold"},
    {"order", "events stand by ascending index, each once"},
    {"inclusion", "the line is not at this index of the checkpoint's tree"},
    {"line", "the line is no event as one line of JSON"},
    {"commitment", "salt and record are not what the line commits to"},
    {"identity", "the record is not of the type that the line's ref names"},
    {"about", "no event writes the record that the bundle is about"},
    {"extension", "the checkpoint's tree does not begin with the tree before"},
    {"erasure", "what it is about records no erasure whose purges are all that lies between it and the tree before"},
});

/// The failures so far.
class Failures {
 public:
  explicit Failures(std::vector<BundleFailure>& list) : list_(list) {}

  void add(std::string path, std::string_view rule) {
    ++count_;
    if (list_.size() == bundle_failures_max) return;
    auto const row = std::ranges::find(rules, rule, &Rule::name);
    assert(row != rules.end());
    list_.push_back({.path = std::move(path), .rule = std::string{rule}, .message = std::string{row->sentence}});
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  std::vector<BundleFailure>& list_;
  std::size_t count_ = 0;
};

/// The value of a JSON text without repeated members.
std::optional<bj::value> parse_strictly(std::string_view text) {
  auto const marks = std::ranges::count_if(text, [](char c) { return c == ',' || c == '[' || c == '{'; });
  if (static_cast<std::size_t>(marks) > bundle_marks_max) return std::nullopt;
  auto document = json::parse(text);
  if (!document || !document->duplicates.empty()) return std::nullopt;
  return std::move(document->value);
}

std::optional<std::string_view> find_text(bj::object const& object, std::string_view name) {
  auto const* const member = object.if_contains(name);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return std::string_view{member->get_string()};
}

/// A whole number that a member is, 0 to 2^53 - 1.
std::optional<std::uint64_t> find_whole(bj::object const& object, std::string_view name) {
  auto const* const member = object.if_contains(name);
  if (member == nullptr || !member->is_int64()) return std::nullopt;
  auto const number = member->get_int64();
  if (number < 0 || number > limits::integer_max) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

/// The text of an event's record, where it may hand the log over to another key.
std::optional<std::string_view> find_key_record(bj::value const& event) {
  auto const record = event.is_object() ? find_text(event.get_object(), "record") : std::nullopt;
  if (!record || record->find('"' + std::string{key_change_attribute} + '"') == record->npos) return std::nullopt;
  return record;
}

/// The key to which the record hands over, if one of `keys` says so.
std::optional<VerifierKey> find_next_key_in(std::string_view record, std::span<VerifierKey const> keys) {
  auto const value = parse_strictly(record);
  auto const* const members = value && value->is_object() ? value->get_object().if_contains("attributes") : nullptr;
  if (members == nullptr || !members->is_object()) return std::nullopt;
  auto const note = find_text(members->get_object(), key_change_attribute);
  return note ? find_next_key(*note, keys) : std::nullopt;
}

/// What the line of an event says.
struct Line {
  std::string ref;
  std::string op;
  std::string at;
  std::uint64_t tx = 0;
  std::optional<std::uint64_t> put = {};  ///< of an end of a node that is deleted: when it was written first
  std::optional<Digest> commitment = {};
  std::uint64_t edges = 0;
  std::vector<std::string> ends = {};  ///< of its edges
  std::optional<std::uint64_t> purges = {};
};

bool read_edges(bj::object const& object, Line& line) {
  auto const* const edges = object.if_contains("edges");
  if (edges == nullptr) return true;
  if (!edges->is_array()) return false;
  for (bj::value const& each : edges->get_array()) {
    if (!each.is_object()) return false;
    for (std::string_view const end : {"from", "to"}) {
      auto const ref = find_text(each.get_object(), end);
      if (!ref) return false;
      line.ends.emplace_back(*ref);
    }
    if (!find_text(each.get_object(), "type")) return false;
    ++line.edges;
  }
  return true;
}

std::optional<Line> read_line(std::string_view text) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) return std::nullopt;
  auto const value = parse_strictly(text);
  if (!value || !value->is_object()) return std::nullopt;
  auto const& object = value->get_object();
  auto const ref = find_text(object, "ref");
  auto const op = find_text(object, "op");
  auto const at = find_text(object, "at");
  auto const tx = find_whole(object, "tx");
  if (!ref || !op || !at || !tx) return std::nullopt;
  Line line{.ref = std::string{*ref}, .op = std::string{*op}, .at = std::string{*at}, .tx = *tx};
  line.put = find_whole(object, "put");
  if (object.contains("put") && !line.put) return std::nullopt;
  if (object.contains("commitment")) {
    line.commitment = digest_from_hex(find_text(object, "commitment").value_or(""));
    if (!line.commitment) return std::nullopt;
  }
  if (!read_edges(object, line)) return std::nullopt;
  line.purges = find_whole(object, "purges");
  return line;
}

/// Whether the record is of the type of `ref`. The members that make up its id are in the ref alone.
bool is_record_of(std::string_view ref, std::string_view record) {
  auto const value = parse_strictly(record);
  auto const type = value && value->is_object() ? find_text(value->get_object(), "$type$") : std::nullopt;
  return type && ref.starts_with(std::string{*type} + ':');
}

/// An event of a bundle as it was read, with views of the bundle's value.
struct ReadEvent {
  std::uint64_t index = 0;
  std::string_view line = {};
  std::vector<Digest> proof = {};
  std::optional<Digest> salt = {};
  std::optional<std::string_view> record = {};
};

class Verifier {
 public:
  Verifier(BundleReport& report, std::span<VerifierKey const> keys)
      : report_(report), failures_(report.failures), keys_(keys.begin(), keys.end()) {}

  void verify(std::string_view text) {
    if (text.size() > bundle_bytes_max) return failures_.add("", "size");
    auto const value = parse_strictly(text);
    if (!value) return failures_.add("", "json");
    if (!value->is_object()) return failures_.add("", "type");
    auto const& bundle = value->get_object();
    bool const is_certificate = find_text(bundle, "format") == certificate_format;
    if (!is_certificate && find_text(bundle, "format") != bundle_format) {
      return failures_.add("/format", "format");
    }
    if (is_certificate) {
      check_members(bundle, "", {"format", "about", "checkpoint", "before", "extension", "events"});
    } else {
      check_members(bundle, "", {"format", "about", "checkpoint", "events"});
    }
    auto const about = find_text(bundle, "about");
    auto const note = find_text(bundle, "checkpoint");
    auto const* const events = bundle.if_contains("events");
    if (!about) failures_.add("/about", "type");
    if (!note) failures_.add("/checkpoint", "type");
    if (events == nullptr || !events->is_array()) {
      failures_.add("/events", "type");
    } else if (events->get_array().empty() || events->get_array().size() > bundle_events_max) {
      failures_.add("/events", "count");
    }
    if (is_certificate) read_before(bundle);
    if (failures_.count() > 0) return;
    follow_keys(events->get_array());
    if (!read_checkpoint(*note)) return;
    report_.about = *about;
    for (std::size_t i = 0; i < events->get_array().size(); ++i) {
      check_event(events->get_array()[i], "/events/" + std::to_string(i));
    }
    if (!has_about_) failures_.add("/about", "about");
    if (is_certificate) check_erasure();
    close();
  }

 private:
  /// A member that is not checked must not look as if it were.
  void check_members(bj::object const& object, std::string const& path, std::initializer_list<std::string_view> known) {
    for (auto const& member : object) {
      std::string_view const name = member.key();
      if (std::ranges::find(known, name) == known.end()) {
        return failures_.add(path, "unknown");
      }
    }
  }

  /// Adds the keys to which those known hand over, in the order of the events.
  void follow_keys(bj::array const& events) {
    std::size_t tried = 0;
    for (bj::value const& event : events) {
      auto const record = find_key_record(event);
      if (!record) continue;
      if (++tried > bundle_key_changes_max) return;
      if (auto next = find_next_key_in(*record, keys_)) keys_.push_back(std::move(*next));
    }
  }

  void read_before(bj::object const& bundle) {
    auto const* const before = bundle.if_contains("before");
    bool const has_both = before != nullptr && before->is_object() && before->get_object().size() == 2;
    auto const size = has_both ? find_whole(before->get_object(), "size") : std::nullopt;
    auto const root = has_both ? parse_hash(find_text(before->get_object(), "root").value_or("")) : std::nullopt;
    if (size && root) {
      before_.tree = {.size = *size, .root = *root};
    } else {
      failures_.add("/before", "type");
    }
    if (!read_hashes(bundle, "extension", before_.proof)) failures_.add("/extension", "type");
  }

  /// That the tree only grew, and that nothing lies between the tree before and the erasure's event but what that
  /// counts.
  void check_erasure() {
    if (!verify_consistency(before_.tree, report_.checkpoint.tree, before_.proof)) {
      failures_.add("/extension", "extension");
    }
    bool const is_erasure = first_ && first_->purges && *first_->purges <= first_index_ &&
                            first_index_ - *first_->purges == before_.tree.size;
    if (!is_erasure) return failures_.add("/about", "erasure");
    report_.erased = *first_->purges;
    report_.erasure = std::move(first_record_);
  }

  bool read_checkpoint(std::string_view note) {
    auto verified = verify_checkpoint(note, keys_);
    if (!verified) {
      bool const is_malformed = verified.error().code == Errc::parse_error;
      failures_.add("/checkpoint", is_malformed ? "checkpoint" : "signature");
      return false;
    }
    report_.checkpoint = std::move(verified->checkpoint);
    for (VerifiedSignature const& each : verified->signatures) {
      auto text = keys_[each.key].text();
      if (std::ranges::find(report_.keys, text) == report_.keys.end()) report_.keys.push_back(std::move(text));
    }
    return true;
  }

  std::optional<ReadEvent> read_event(bj::value const& value, std::string const& path) {
    auto const before = failures_.count();
    if (!value.is_object()) {
      failures_.add(path, "type");
      return std::nullopt;
    }
    auto const& object = value.get_object();
    check_members(object, path, {"index", "line", "proof", "salt", "record"});
    ReadEvent event;
    if (auto const index = find_whole(object, "index")) {
      event.index = *index;
    } else {
      failures_.add(path + "/index", "type");
    }
    if (auto const line = find_text(object, "line")) {
      event.line = *line;
    } else {
      failures_.add(path + "/line", "type");
    }
    if (!read_hashes(object, "proof", event.proof)) {
      failures_.add(path + "/proof", "type");
    }
    if (object.contains("salt")) {
      event.salt = parse_hash(find_text(object, "salt").value_or(""));
      if (!event.salt) failures_.add(path + "/salt", "type");
    }
    if (object.contains("record")) {
      event.record = find_text(object, "record");
      if (!event.record) failures_.add(path + "/record", "type");
    }
    if (failures_.count() > before) return std::nullopt;
    return event;
  }

  static bool read_hashes(bj::object const& object, std::string_view name, std::vector<Digest>& hashes) {
    auto const* const list = object.if_contains(name);
    if (list == nullptr || !list->is_array() || list->get_array().size() > proof_hashes_max) return false;
    for (bj::value const& each : list->get_array()) {
      auto const hash = each.is_string() ? parse_hash(each.get_string()) : std::nullopt;
      if (!hash) return false;
      hashes.push_back(*hash);
    }
    return true;
  }

  void check_event(bj::value const& value, std::string const& path) {
    auto const event = read_event(value, path);
    if (!event) return;
    if (last_index_ && event->index <= *last_index_) {
      failures_.add(path + "/index", "order");
    }
    last_index_ = event->index;
    TreeHead const& tree = report_.checkpoint.tree;
    if (!verify_inclusion(event->index, tree.size, leaf_hash(event->line), event->proof, tree.root)) {
      failures_.add(path + "/proof", "inclusion");
    }
    auto line = read_line(event->line);
    if (!line) return failures_.add(path + "/line", "line");
    ++report_.events;
    check_content(*event, *line, path);
    if (!first_ && line->op == "put" && line->ref == report_.about) {
      first_ = *line;
      first_index_ = event->index;
      if (event->record) first_record_ = std::string{*event->record};
    }
    take_line(std::move(*line));
  }

  void check_content(ReadEvent const& event, Line const& line, std::string const& path) {
    bool const is_shown = event.salt.has_value() && event.record.has_value();
    bool const is_absent = !event.salt && !event.record;
    if (!(is_absent || (is_shown && line.commitment))) {
      return failures_.add(path, "commitment");
    }
    if (is_absent) {
      if (line.commitment) ++report_.withheld;
      return;
    }
    if (commitment_of(*event.salt, *event.record) != *line.commitment) {
      return failures_.add(path + "/record", "commitment");
    }
    if (!is_record_of(line.ref, *event.record)) {
      return failures_.add(path + "/record", "identity");
    }
    ++report_.records;
  }

  void take_line(Line line) {
    bool const is_written = line.op == "put" || line.op == "version";
    if (is_written && line.ref == report_.about) has_about_ = true;
    bool const is_ended = line.op == "delete" || line.op == "expire";
    if (is_written) written_[line.ref] = line.tx;
    auto const written = written_.find(line.ref);
    bool const is_of_earlier_life = line.put && written != written_.end() && *line.put < written->second;
    if ((is_written || is_ended) && !is_of_earlier_life) is_ended_[line.ref] = is_ended;
    refs_.insert(std::move(line.ref));
    ends_.insert(std::make_move_iterator(line.ends.begin()), std::make_move_iterator(line.ends.end()));
    report_.edges += line.edges;
    report_.newest_at = std::move(line.at);
  }

  void close() {
    for (auto const& each : is_ended_) {
      if (each.second) count(report_.ended, each.first);
    }
    for (std::string const& end : ends_) {
      if (!refs_.contains(end)) count(report_.without_event, end);
    }
  }

  static void count(CountedRefs& refs, std::string const& ref) {
    ++refs.count;
    if (refs.refs.size() < bundle_refs_max) refs.refs.push_back(ref);
  }

  BundleReport& report_;
  Failures failures_;
  std::vector<VerifierKey> keys_;
  std::optional<std::uint64_t> last_index_ = {};
  TreeBefore before_ = {};          ///< of a certificate
  std::optional<Line> first_ = {};  ///< the first that puts what it is about
  std::uint64_t first_index_ = 0;
  std::optional<std::string> first_record_ = {};
  bool has_about_ = false;
  std::map<std::string, bool> is_ended_ = {};          ///< by ref: whether its last event is an end
  std::map<std::string, std::uint64_t> written_ = {};  ///< by ref: when it was written last
  std::set<std::string> refs_ = {};
  std::set<std::string> ends_ = {};
};

void append_refs(json::Writer& out, std::string_view name, CountedRefs const& refs) {
  out.key(name).begin_object().member("count", refs.count).key("refs").begin_array();
  for (std::string const& ref : refs.refs) out.value(std::string_view{ref});
  out.end_array().end_object();
}

void append_hashes(json::Writer& out, std::string_view name, std::span<Digest const> hashes) {
  out.key(name).begin_array();
  for (Digest const& hash : hashes) out.value(std::string_view{format_hash(hash)});
  out.end_array();
}

constexpr std::array<std::string_view, 4> open_questions = {
    "that nothing was left out when it was recorded: the log proves what it was given, not what happened",
    "that every event about these records is in this file: events can be left out of it, and contents withheld",
    "that nothing was changed or deleted after the checkpoint",
    "that others were shown the same log: compare checkpoints, or have witnesses sign them",
};

}  // namespace

Digest commitment_of(Digest const& salt, std::string_view record) {
  return sha256({std::as_bytes(std::span{salt.bytes}), std::as_bytes(std::span{record})});
}

std::string format_bundle(Bundle const& bundle) {
  std::string text;
  json::Writer out{text};
  out.begin_object().member("format", bundle.before ? certificate_format : bundle_format);
  out.member("about", std::string_view{bundle.about}).member("checkpoint", std::string_view{bundle.checkpoint});
  if (bundle.before) {
    out.key("before").begin_object().member("size", bundle.before->tree.size);
    out.member("root", std::string_view{format_hash(bundle.before->tree.root)}).end_object();
    append_hashes(out, "extension", bundle.before->proof);
  }
  out.key("events").begin_array();
  for (BundleEvent const& event : bundle.events) {
    out.begin_object().member("index", event.index).member("line", std::string_view{event.line});
    append_hashes(out, "proof", event.proof);
    if (event.record) {
      out.member("salt", std::string_view{format_hash(event.record->salt)});
      out.member("record", std::string_view{event.record->json});
    }
    out.end_object();
  }
  out.end_array().end_object();
  return text;
}

BundleReport verify_bundle(std::string_view text, std::span<VerifierKey const> keys) {
  BundleReport report;
  Verifier{report, keys}.verify(text);
  return report;
}

std::span<std::string_view const> not_proved() noexcept {
  return open_questions;
}

void append_report(std::string& out, BundleReport const& report) {
  json::Writer writer{out};
  writer.begin_object().member("verified", report.is_verified());
  if (!report.is_verified()) {
    writer.key("failures").begin_array();
    for (BundleFailure const& each : report.failures) {
      writer.begin_object().member("path", std::string_view{each.path}).member("rule", std::string_view{each.rule});
      writer.member("message", std::string_view{each.message}).end_object();
    }
    writer.end_array().end_object();
    return;
  }
  writer.member("about", std::string_view{report.about});
  writer.member("origin", std::string_view{report.checkpoint.origin});
  writer.member("size", report.checkpoint.tree.size);
  writer.member("root", std::string_view{format_hash(report.checkpoint.tree.root)}).key("keys").begin_array();
  for (std::string const& key : report.keys) writer.value(std::string_view{key});
  writer.end_array().member("newest_at", std::string_view{report.newest_at});
  writer.member("events", report.events).member("records", report.records).member("withheld", report.withheld);
  writer.member("edges", report.edges);
  append_refs(writer, "ended", report.ended);
  append_refs(writer, "without_event", report.without_event);
  if (report.erased) {
    writer.member("erased", *report.erased);
    writer.key("erasure");
    report.erasure ? writer.value(std::string_view{*report.erasure}) : writer.null();
  }
  writer.key("not_proved").begin_array();
  for (std::string_view const each : not_proved()) writer.value(each);
  writer.end_array().end_object();
}

}  // namespace whence::schema::proof
