// Each line of events.jsonl is held against the leaf that has its transaction, node and kind.

#include "tools/cli/proofs/folder.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/digest.hpp"
#include "schema/json/json.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/merkle.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
namespace proof = schema::proof;
using net::plain_text::cell;

constexpr std::size_t line_depth_max = 128;
constexpr std::size_t small_file_bytes_max = std::size_t{1} << 20;

/// The text of a file; nothing where it cannot be read or has more bytes.
std::optional<std::string> text_in_file(std::filesystem::path const& path, std::size_t bytes_max) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> piece;
  while (file) {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes_max) return std::nullopt;
  }
  return file.bad() || !file.eof() ? std::nullopt : std::optional{std::move(text)};
}

std::optional<std::string> digest_of_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  schema::Sha256 digest;
  std::array<char, 65536> piece;
  while (file) {
    file.read(piece.data(), piece.size());
    digest.update({piece.data(), static_cast<std::size_t>(file.gcount())});
  }
  return file.bad() || !file.eof() ? std::nullopt : std::optional{schema::to_hex(digest.finish())};
}

/// What an event is of: no two of one log are equal in it but contents of one transaction, which the first stands for.
std::string place_of_event(json::object const& event) {
  return cell(event, "tx") + ' ' + cell(event, "op") + ' ' + cell(event, "ref");
}

bool is_among_names(std::string_view name, std::span<std::string_view const> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Of a leaf, what a line has in another form; of a line, what a leaf has not.
constexpr std::array<std::string_view, 4> leaf_alone = {"commitment", "edges", "nonce", "purges"};
constexpr std::array<std::string_view, 6> line_alone = {"record", "edges", "expired", "purged", "prev", "xml"};

bool is_its_leaf(json::object const& leaf, json::object const& line) {
  for (auto const& member : leaf) {
    if (is_among_names(member.key(), leaf_alone)) continue;
    auto const* const said = line.if_contains(member.key());
    if (said == nullptr || *said != member.value()) return false;
  }
  return std::ranges::all_of(line, [&](auto const& member) {
    return is_among_names(member.key(), line_alone) || leaf.contains(member.key());
  });
}

/// A long text is kept apart: the record that was committed to has its digest.
bool is_its_long_text(json::object const& committed, std::string_view name, json::value const& said) {
  auto const digest = cell(committed, std::string(name) + "_sha256");
  return said.is_string() && !digest.empty() &&
         schema::to_hex(schema::sha256(std::string_view{said.get_string()})) == digest;
}

/// Whether a long text beside the record is the one that the record names by its digest.
bool is_its_xml(json::object const& line, json::object const& record) {
  auto const* const xml = line.if_contains("xml");
  if (xml == nullptr) return true;
  return xml->is_string() &&
         cell(record, "xmlBlob") == "sha256://" + schema::to_hex(schema::sha256(std::string_view{xml->get_string()}));
}

/// As a part of an id has it, which `/` separates.
std::string in_id(json::value const& part) {
  std::string escaped;
  for (char const c : part.is_string() ? std::string(part.get_string()) : schema::json::to_text(part)) {
    escaped += c == '%' ? "%25" : c == '/' ? "%2F" : std::string(1, c);
  }
  return escaped;
}

/// What a record that is shown has beside what was recorded: the members of its id, which the ref says, the units of a
/// response, which are edges, and what follows from the rest. The explorer's case/proof.js has the same.
constexpr std::array<std::string_view, 12> members_of_ids = {"id",          "request_id", "chunk_id", "document_name",
                                                             "term",        "userId",     "topic",    "discussionId",
                                                             "roundNumber", "version",    "modelId",  "hash"};
constexpr std::array<std::string_view, 11> members_beside = {
    "context_units", "active", "dangling",   "expired_versions", "purged_versions", "xml",
    "persona",       "turn",   "responseId", "purged",           "expired"};

/// Whether `shown` says all that `said` says, and nothing else but what may stand beside it.
bool says_the_same(json::value const& said, json::value const& shown,
                   std::string_view ref) {  // NOLINT(misc-no-recursion)
  if (said.is_array() && shown.is_array()) {
    auto const& whole = shown.get_array();
    return said.get_array().size() == whole.size() &&
           std::equal(whole.begin(), whole.end(), said.get_array().begin(),
                      [&](json::value const& a, json::value const& b) { return says_the_same(b, a, ref); });
  }
  if (!said.is_object() || !shown.is_object()) return said == shown;
  auto const& committed = said.get_object();
  for (auto const& member : committed) {
    constexpr std::string_view digest_end = "_sha256";
    auto const* const found = shown.get_object().if_contains(member.key());
    bool const is_digest = found == nullptr && std::string_view{member.key()}.ends_with(digest_end);
    if (!is_digest && (found == nullptr || !says_the_same(member.value(), *found, ref))) return false;
  }
  return std::ranges::all_of(shown.get_object(), [&](auto const& member) {
    std::string_view const name = member.key();
    if (committed.contains(name) || is_among_names(name, members_beside)) return true;
    if (is_its_long_text(committed, name, member.value())) return true;
    auto const part = in_id(member.value());
    return is_among_names(name, members_of_ids) && (ref.find(part) != std::string_view::npos ||
                                                    ref.find(cell(shown.get_object(), name)) != std::string_view::npos);
  });
}

/// Whether all that was committed to is in what is shown, which may have more: what it was added to.
bool says_at_least(json::object const& said, json::object const& shown, std::string_view ref) {
  return std::ranges::all_of(said, [&](auto const& member) {
    constexpr std::string_view digest_end = "_sha256";
    auto const* const found = shown.if_contains(member.key());
    if (found == nullptr) return std::string_view{member.key()}.ends_with(digest_end);
    if (!member.value().is_array() || !found->is_array()) return says_the_same(member.value(), *found, ref);
    auto const& whole = found->get_array();
    return std::ranges::all_of(member.value().get_array(), [&](json::value const& each) {
      return std::ranges::any_of(whole, [&](json::value const& one) { return says_the_same(each, one, ref); });
    });
  });
}

/// Whether the record in a line is the one that was committed to. An update was committed to alone, and is shown with
/// what it was added to; so is the text of a summary.
bool is_its_record(json::object committed, json::object shown, std::string_view ref, bool is_whole) {
  if (cell(shown, "$type$") == "Summary") {
    committed.erase("content");
    shown.erase("content");
  }
  committed.erase("responseId");  // an edge of the line says it
  return is_whole ? says_the_same(committed, shown, ref) : says_at_least(committed, shown, ref);
}

class FolderCheck {
 public:
  FolderCheck(std::filesystem::path const& folder, std::span<proof::VerifierKey const> keys)
      : folder_(folder), keys_(keys) {}

  [[nodiscard]] FolderReport run() {
    check_files();
    check_consistency();
    for (auto const& name : names_) {
      if (name.starts_with("proof-")) take_bundle(name);
    }
    if (report_.is_verified()) check_events();
    return std::move(report_);
  }

 private:
  struct Leaf {
    json::object line;
    std::optional<std::string> record = {};
  };

  void fail(std::string what) {
    if (report_.failures.size() < FolderReport::failures_max) report_.failures.push_back(std::move(what));
  }

  void check_files() {
    auto const text = text_in_file(folder_ / "manifest.json", small_file_bytes_max);
    auto const manifest = text ? schema::json::parse(*text) : Result<schema::json::Document>{Error{}};
    auto const* const object = manifest ? manifest->value.if_object() : nullptr;
    auto const* const files = object == nullptr ? nullptr : object->if_contains("files");
    if (files == nullptr || !files->is_array()) return fail("manifest.json: is no manifest of a folder of evidence");
    for (auto const& each : files->get_array()) {
      if (!each.is_object()) return fail("manifest.json: is no manifest of a folder of evidence");
      auto const name = cell(each.get_object(), "name");
      if (name.empty() || name.find('/') != std::string::npos) return fail("manifest.json: names a file elsewhere");
      names_.push_back(name);
      auto const digest = digest_of_file(folder_ / name);
      if (!digest) {
        fail(name + ": cannot be read");
      } else if (*digest != cell(each.get_object(), "sha256")) {
        fail(name + ": is not the file that manifest.json names");
      }
    }
    if (std::ranges::find(names_, "events.jsonl") == names_.end()) fail("manifest.json: names no events.jsonl");
  }

  [[nodiscard]] bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

  std::optional<proof::Checkpoint> checkpoint_in(std::string const& name) {
    auto const text = text_in_file(folder_ / name, small_file_bytes_max);
    auto const verified = text ? proof::verify_checkpoint(*text, keys_) : Result<proof::VerifiedCheckpoint>{Error{}};
    if (!verified) {
      fail(name + ": is no checkpoint that a given key signed");
      return std::nullopt;
    }
    for (auto const& each : verified->signatures) note_key(keys_[each.key].text());
    return verified->checkpoint;
  }

  void note_key(std::string const& key) {
    if (std::ranges::find(report_.keys, key) == report_.keys.end()) report_.keys.push_back(key);
  }

  void check_consistency() {
    if (!has("after.checkpoint")) return;
    auto const after = checkpoint_in("after.checkpoint");
    if (!after) return;
    origin_ = after->origin;
    report_.to = after->tree.size;
    if (!has("before.checkpoint")) return;
    auto const before = checkpoint_in("before.checkpoint");
    auto const text = text_in_file(folder_ / "consistency", small_file_bytes_max);
    if (!before || !text) return fail("consistency: cannot be read");
    std::vector<schema::Digest> hashes;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      auto const hash = proof::parse_hash(line);
      if (!hash) return fail("consistency: has a line that is no hash");
      hashes.push_back(*hash);
    }
    if (before->origin != after->origin || !proof::verify_consistency(before->tree, after->tree, hashes)) {
      return fail("consistency: the log after the period does not begin with the one before");
    }
    report_.from = before->tree.size;
    report_.has_consistency = true;
  }

  void take_bundle(std::string const& name) {
    auto const text = text_in_file(folder_ / name, proof::bundle_bytes_max);
    if (!text) return fail(name + ": cannot be read");
    auto const checked = proof::verify_bundle(*text, keys_);
    for (auto const& each : checked.failures) fail(name + " " + each.path + ": " + each.rule + ": " + each.message);
    if (!checked.is_verified()) return;
    if (!origin_.empty() && checked.checkpoint.origin != origin_) return fail(name + ": is of another log");
    for (auto const& key : checked.keys) note_key(key);
    auto const bundle = schema::json::parse(*text, line_depth_max);
    if (!bundle) return fail(name + ": cannot be read");
    for (auto const& event : bundle->value.as_object().at("events").as_array()) take_leaf(event.as_object());
  }

  /// Of a bundle that was verified, so that its members are there.
  void take_leaf(json::object const& event) {
    auto line = schema::json::parse(std::string_view{event.at("line").as_string()}, line_depth_max);
    if (!line || !line->value.is_object()) return;
    Leaf leaf{.line = std::move(line->value.get_object())};
    if (auto const* const record = event.if_contains("record")) leaf.record = std::string(record->as_string());
    if (cell(leaf.line, "op") == "content") {
      rewritten_.push_back(cell(leaf.line, "tx") + ' ' + cell(leaf.line, "ref"));
      return;
    }
    leaves_.emplace(place_of_event(leaf.line), std::move(leaf));
  }

  void check_events() {
    std::ranges::sort(rewritten_);
    std::ifstream file(folder_ / "events.jsonl", std::ios::binary);
    for (std::string text; std::getline(file, text);) {
      ++report_.events;
      auto const line = schema::json::parse(text, line_depth_max);
      if (!line || !line->value.is_object()) {
        fail("events.jsonl, line " + std::to_string(report_.events) + ": is no event");
        continue;
      }
      check_event(line->value.get_object());
    }
  }

  void check_event(json::object const& line) {
    auto const found = leaves_.find(place_of_event(line));
    if (found == leaves_.end()) return;
    auto const& leaf = found->second;
    auto const where = "events.jsonl, line " + std::to_string(report_.events) + ": ";
    if (!is_its_leaf(leaf.line, line)) return fail(where + "is not the event that was recorded");
    ++report_.proved;
    auto const* const shown = line.if_contains("record");
    if (shown == nullptr || !shown->is_object() || !leaf.record) return;
    auto const ref = cell(line, "ref");
    if (std::ranges::binary_search(rewritten_, cell(line, "tx") + ' ' + ref)) return;  // more than one content
    auto const committed = schema::json::parse(*leaf.record, line_depth_max);
    bool const is_whole = cell(line, "op") == "put";
    if (!committed || !committed->value.is_object() ||
        !is_its_record(committed->value.get_object(), shown->get_object(), ref, is_whole) ||
        !is_its_xml(line, shown->get_object())) {
      return fail(where + "its record is not the one that was recorded");
    }
    ++report_.records;
  }

  std::filesystem::path const& folder_;
  std::span<proof::VerifierKey const> const keys_;
  FolderReport report_ = {};
  std::vector<std::string> names_ = {};
  std::string origin_ = {};
  std::unordered_map<std::string, Leaf> leaves_ = {};
  std::vector<std::string> rewritten_ = {};
};

}  // namespace

FolderReport check_folder(std::filesystem::path const& folder, std::span<proof::VerifierKey const> keys) {
  return FolderCheck(folder, keys).run();
}

}  // namespace whence::tools
