// Checks the files against the manifest, the bundles and both checkpoints by the keys and, where all of that holds, the
// lines of events.jsonl against the leaves that are proved, and whether the report and its page say just that. Lines
// and leaves are walked together, in the order of the log.

#include "tools/cli/proofs/folder.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/merkle.hpp"
#include "tools/cli/proofs/line.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
namespace proof = schema::proof;
using net::plain_text::cell;

constexpr std::size_t line_depth_max = 128;
constexpr std::size_t manifest_members = 3;  ///< of each file: name, bytes, sha256
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

/// A whole number of a report; nothing where it is absent, null or something else.
std::optional<std::uint64_t> number_in(json::object const& object, std::string_view name) {
  auto const* const value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::system::error_code failed;
  auto const number = value->to_number<std::uint64_t>(failed);
  return failed ? std::nullopt : std::optional{number};
}

json::object const* object_within(json::object const* object, std::string_view name) {
  auto const* const value = object == nullptr ? nullptr : object->if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

std::vector<std::string> texts_within(json::object const* object, std::string_view name) {
  std::vector<std::string> texts;
  auto const* const value = object == nullptr ? nullptr : object->if_contains(name);
  if (value == nullptr || !value->is_array()) return texts;
  for (auto const& each : value->get_array()) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

/// The record by which a key hands over to another is in every bundle, whatever its scope.
bool is_key_change(ProvenEvent const& leaf) {
  return std::ranges::any_of(leaf.contents, [](json::object const& content) {
    auto const* const attributes = object_within(&content, "attributes");
    return attributes != nullptr && attributes->contains(proof::key_change_attribute);
  });
}

/// A document of which no two readers read different values.
std::optional<json::value> unambiguous(std::optional<std::string> const& text) {
  auto const document = text ? schema::json::parse(*text, line_depth_max) : Result<schema::json::Document>{Error{}};
  return document && document->duplicates.empty() ? std::optional{document->value} : std::nullopt;
}

/// What the page of a folder shows, as JSON.
std::optional<json::value> data_in_page(std::string_view page) {
  constexpr std::string_view begin = R"(<script type="application/json" id="case">)";
  auto const at = page.find(begin);
  if (at == std::string_view::npos || page.find(begin, at + 1) != std::string_view::npos) return std::nullopt;
  page.remove_prefix(at + begin.size());
  return unambiguous(std::string(page.substr(0, page.find("</script>"))));
}

constexpr std::array<std::string_view, 4> required_names = {"events.jsonl", "report.json", "index.html",
                                                            "after.checkpoint"};

bool is_bundle(std::string_view name) {
  return name.starts_with("proof-");
}

bool is_of_folder(std::string_view name) {
  return name == "before.checkpoint" || name == "consistency" || is_bundle(name) ||
         std::ranges::find(required_names, name) != required_names.end();
}

class FolderCheck {
 public:
  FolderCheck(std::filesystem::path const& folder, std::span<proof::VerifierKey const> keys)
      : folder_(folder), keys_(keys.begin(), keys.end()) {}

  [[nodiscard]] FolderReport run() {
    check_files();
    check_names();
    for (auto const& name : names_) {
      if (is_bundle(name)) take_bundle(name);
    }
    check_consistency();
    if (!report_.is_verified()) return std::move(report_);
    join_contents();
    check_events();
    check_whole();
    check_report();
    return std::move(report_);
  }

 private:
  using Leaves = std::map<std::uint64_t, ProvenEvent>;

  void fail(std::string what) {
    if (report_.failures.size() < FolderReport::failures_max) report_.failures.push_back(std::move(what));
  }

  void check_files() {
    auto const manifest = unambiguous(text_in_file(folder_ / "manifest.json", small_file_bytes_max));
    auto const* const object = manifest ? manifest->if_object() : nullptr;
    auto const* const files = object == nullptr || object->size() != 1 ? nullptr : object->if_contains("files");
    if (files == nullptr || !files->is_array()) return fail("manifest.json: is no manifest of a folder of evidence");
    for (auto const& each : files->get_array()) {
      if (!each.is_object() || each.get_object().size() != manifest_members)
        return fail("manifest.json: is no manifest of a folder of evidence");
      auto const name = cell(each.get_object(), "name");
      if (name.empty() || name.find('/') != std::string::npos) return fail("manifest.json: names a file elsewhere");
      if (has(name)) return fail("manifest.json: names " + name + " twice");
      if (!is_of_folder(name)) fail(name + ": is no file of a folder of evidence");
      names_.push_back(name);
      auto const digest = digest_of_file(folder_ / name);
      if (!digest) {
        fail(name + ": cannot be read");
      } else if (*digest != cell(each.get_object(), "sha256") ||
                 std::filesystem::file_size(folder_ / name) != number_in(each.get_object(), "bytes")) {
        fail(name + ": is not the file that manifest.json names");
      }
    }
  }

  /// A folder has the files that it has to have, and no others.
  void check_names() {
    for (auto const name : required_names) {
      if (has(name)) continue;
      fail(std::string(name) + ": is missing in manifest.json" +
           (name == "after.checkpoint" ? ", as of a period before the log began: nothing here is proved" : ""));
    }
    for (auto const& [name, other] :
         {std::pair{"before.checkpoint", "consistency"}, {"consistency", "before.checkpoint"}}) {
      if (has(name) && !has(other)) fail(std::string(other) + ": is missing beside " + name);
    }
    for (std::size_t i = 1, count = bundles(); i <= count; ++i) {
      auto const name = "proof-" + std::to_string(i) + ".json";
      if (!has(name)) fail(name + ": is missing in manifest.json");
    }
    std::error_code failed;
    for (auto const& entry : std::filesystem::directory_iterator(folder_, failed)) {
      auto const name = entry.path().filename().string();
      if (name != "manifest.json" && !has(name)) fail(name + ": is not in manifest.json");
    }
    if (failed) fail("the folder cannot be read");
  }

  [[nodiscard]] std::size_t bundles() const {
    return static_cast<std::size_t>(std::ranges::count_if(names_, is_bundle));
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

  [[nodiscard]] bool has_key(std::string_view text) const {
    return std::ranges::any_of(keys_, [&](auto const& key) { return key.text() == text; });
  }

  /// A log has one tree of each size.
  void note_root(proof::TreeHead const& tree, std::string const& name) {
    if (roots_.emplace(tree.size, tree.root).first->second != tree.root)
      fail(name + ": is of another tree than others");
  }

  void note_key(std::string const& key) {
    if (std::ranges::find(report_.keys, key) == report_.keys.end()) report_.keys.push_back(key);
  }

  /// By the keys that were given, and those to which they hand over in the bundles.
  void check_consistency() {
    for (auto const& text : report_.keys) {
      if (auto key = proof::VerifierKey::parse(text); key && !has_key(text)) keys_.push_back(std::move(*key));
    }
    auto const after = checkpoint_in("after.checkpoint");
    if (!after) return;
    if (!origin_.empty() && after->origin != origin_)
      return fail("after.checkpoint: is of another log than the bundles");
    report_.to = after->tree.size;
    note_root(after->tree, "after.checkpoint");
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
    note_root(before->tree, "before.checkpoint");
    report_.from = before->tree.size;
    report_.has_consistency = true;
  }

  void take_bundle(std::string const& name) {
    auto const text = text_in_file(folder_ / name, proof::bundle_bytes_max);
    if (!text) return fail(name + ": cannot be read");
    auto const checked = proof::verify_bundle(*text, keys_);
    for (auto const& each : checked.failures) fail(name + " " + each.path + ": " + each.rule + ": " + each.message);
    if (!checked.is_verified()) return;
    if (origin_.empty()) origin_ = checked.checkpoint.origin;
    if (checked.checkpoint.origin != origin_) return fail(name + ": is of another log than other bundles");
    note_root(checked.checkpoint.tree, name);
    for (auto const& key : checked.keys) note_key(key);
    auto const bundle = schema::json::parse(*text, line_depth_max);
    if (!bundle) return fail(name + ": cannot be read");
    for (auto const& event : bundle->value.as_object().at("events").as_array()) take_leaf(event.as_object(), name);
  }

  /// Of a bundle that was verified, so that its members are there. Key changes are in all of them.
  void take_leaf(json::object const& event, std::string const& name) {
    auto line = schema::json::parse(std::string_view{event.at("line").as_string()}, line_depth_max);
    if (!line || !line->value.is_object()) return;
    ProvenEvent leaf{.line = std::move(line->value.get_object())};
    if (auto const* const record = event.if_contains("record")) {
      auto content = schema::json::parse(std::string_view{record->as_string()}, line_depth_max);
      if (content && content->value.is_object()) leaf.contents.push_back(std::move(content->value.get_object()));
    }
    leaf.is_open = !leaf.contents.empty() || !leaf.line.contains("commitment");
    auto const index = event.at("index").to_number<std::uint64_t>();
    indexes_[name].push_back(index);
    auto& known = leaves_[index];
    if (!known.line.empty() && known.line != leaf.line) {
      fail(name + ": has another event in the place of one of another bundle");
    } else if (known.line.empty() || !known.is_open) {
      known = std::move(leaf);
    }
  }

  /// Further contents of a transaction have lines of their own after the events, and none in events.jsonl.
  void join_contents() {
    std::unordered_map<std::string, ProvenEvent*> of_transaction;
    std::string tx;
    report_.proved_leaves = count_in_period();
    for (auto at = leaves_.begin(); at != leaves_.end();) {
      auto& leaf = at->second;
      auto const ref = cell(leaf.line, "ref");
      if (auto own = cell(leaf.line, "tx"); own != tx) {
        of_transaction.clear();
        tx = std::move(own);
      }
      if (cell(leaf.line, "op") != "content") {
        auto const op = cell(leaf.line, "op");
        if (op == "put" || op == "version") of_transaction[ref] = &leaf;
        ++at;
        continue;
      }
      if (auto const found = of_transaction.find(ref); found != of_transaction.end()) {
        auto& event = *found->second;
        event.is_open = event.is_open && leaf.is_open;
        std::ranges::move(leaf.contents, std::back_inserter(event.contents));
      }
      at = leaves_.erase(at);
    }
  }

  [[nodiscard]] std::uint64_t count_in_period() const {
    return static_cast<std::uint64_t>(
        std::distance(leaves_.lower_bound(report_.from), leaves_.lower_bound(report_.to)));
  }

  /// Each line is the next leaf of the period.
  void check_events() {
    next_ = leaves_.lower_bound(report_.from);
    end_ = leaves_.lower_bound(report_.to);
    for (auto at = next_; at != end_; ++at) places_.emplace(place_of_event(at->second.line), at);
    std::ifstream file(folder_ / "events.jsonl", std::ios::binary);
    for (std::string text; std::getline(file, text);) {
      ++report_.events;
      auto const line = schema::json::parse(text, line_depth_max);
      if (!line || !line->value.is_object()) {
        fail_line("is no event");
      } else if (!line->duplicates.empty()) {
        fail_line("names " + line->duplicates.front() + " twice");
      } else {
        check_event(line->value.get_object());
      }
    }
    skip_to(end_);
    report_.records = lines_.records();
  }

  void fail_line(std::string_view what) {
    fail("events.jsonl, line " + std::to_string(report_.events) + ": " + std::string(what));
  }

  void check_event(json::object const& line) {
    auto const place = place_of_event(line);
    if (next_ == end_ || place_of_event(next_->second.line) != place) {
      auto const found = places_.find(place);
      if (found == places_.end()) return fail_line("is in no bundle");
      if (next_ == end_ || found->second->first < next_->first)
        return fail_line("is there before, or in another order");
      skip_to(found->second);
    }
    auto const& leaf = next_->second;
    ++next_;
    if (auto const wrong = lines_.find_difference(leaf, line)) return fail_line(*wrong);
    ++report_.proved;
  }

  /// Passes over leaves that have no line.
  void skip_to(Leaves::const_iterator end) {
    for (; next_ != end; ++next_) {
      if (is_key_change(next_->second)) {
        ++key_changes_left_;
      } else {
        fail("events.jsonl: lacks the event " + place_of_event(next_->second.line) + ", which a bundle has");
      }
    }
  }

  void check_whole() {
    report_.is_whole = report_.proved_leaves == report_.to - report_.from && key_changes_left_ == 0;
  }

  /// What the report says of the proof and of its period, and that the page shows that very report.
  void check_report() {
    auto const document = unambiguous(text_in_file(folder_ / "report.json", proof::bundle_bytes_max));
    auto const* const evidence = document ? object_within(document->if_object(), "evidence") : nullptr;
    auto const* const said = object_within(evidence, "proof");
    if (said == nullptr) return fail("report.json: is no report of a folder of evidence");
    if (number_in(*evidence, "events") != report_.events)
      fail("report.json: counts other events than events.jsonl has");
    auto const* const scope = object_within(evidence, "scope");
    for (auto const& name : texts_within(scope, "agents")) report_.scope.push_back("agent " + name);
    for (auto const& name : texts_within(scope, "topics")) report_.scope.push_back("topic " + name);
    check_said_proof(*said);
    if (report_.scope.empty() && !report_.is_whole) {
      fail("the bundles have " + std::to_string(report_.proved_leaves) + " of the " +
           std::to_string(report_.to - report_.from) +
           " events that the log has of the period, and events.jsonl has not all");
    }
    check_times(*evidence);
    auto const page = text_in_file(folder_ / "index.html", proof::bundle_bytes_max);
    auto const shown = page ? data_in_page(*page) : std::nullopt;
    if (!shown || *shown != *document) fail("index.html: shows another report than report.json");
  }

  void check_said_proof(json::object const& said) {
    std::vector<std::string> files;
    if (auto const* const list = said.if_contains("files"); list != nullptr && list->is_array()) {
      for (auto const& each : list->get_array()) {
        if (!each.is_object()) continue;
        files.push_back(cell(each.get_object(), "file"));
        if (!is_so(each.get_object())) fail("report.json: says of " + files.back() + " what is not so");
      }
    }
    bool const has_files =
        std::ranges::all_of(files, [&](auto const& name) { return has(name); }) && files.size() == bundles();
    if (!has_files) fail("report.json: names other bundles than there are");
    auto const* const whole = said.if_contains("whole");
    bool const is_whole = whole != nullptr && whole->is_bool() && whole->get_bool();
    bool const is_same = number_in(said, "before").value_or(0) == report_.from &&
                         number_in(said, "after") == report_.to && number_in(said, "leaves") == report_.proved_leaves &&
                         is_whole == (report_.scope.empty() && report_.proved_leaves == report_.to - report_.from);
    if (!is_same) fail("report.json: says of the proof what is not so");
    if (!files.empty() && !has_signed(cell(said, "key"))) fail("report.json: names a key that signed nothing here");
  }

  /// Of a bundle: how many leaves of the period it has, and in which transactions, key changes apart.
  [[nodiscard]] bool is_so(json::object const& said) const {
    auto const found = indexes_.find(cell(said, "file"));
    auto const first = number_in(said, "first_tx");
    auto const last = number_in(said, "last_tx");
    if (found == indexes_.end() || !first || !last) return false;
    std::uint64_t count = 0;
    for (auto const index : found->second) {
      if (index < report_.from || index >= report_.to) continue;
      ++count;
      auto const leaf = leaves_.find(index);
      if (leaf == leaves_.end() || is_key_change(leaf->second)) continue;
      auto const tx = number_in(leaf->second.line, "tx");
      if (!tx || *tx < *first || *tx > *last) return false;
    }
    return number_in(said, "leaves") == count;
  }

  [[nodiscard]] bool has_signed(std::string_view key) const {
    return std::ranges::find(report_.keys, key) != report_.keys.end();
  }

  void check_times(json::object const& evidence) {
    auto const from = schema::parse_rfc3339(cell(evidence, "from"));
    auto const to = schema::parse_rfc3339(cell(evidence, "to"));
    if (!from || !to) return fail("report.json: has no times of the period");
    report_.period = cell(evidence, "from") + " to " + cell(evidence, "to");
    for (auto at = leaves_.lower_bound(report_.from); at != end_; ++at) {
      auto const time = schema::parse_rfc3339(cell(at->second.line, "at"));
      if (time && *from <= *time && *time <= *to) continue;
      return fail("report.json: the period has no event " + place_of_event(at->second.line));
    }
  }

  std::filesystem::path const& folder_;
  std::vector<proof::VerifierKey> keys_;
  FolderReport report_ = {};
  std::vector<std::string> names_ = {};
  std::string origin_ = {};
  std::map<std::uint64_t, schema::Digest> roots_ = {};  ///< by the size of the tree
  Leaves leaves_ = {};
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> indexes_ = {};  ///< of the leaves in each bundle
  std::unordered_map<std::string, Leaves::const_iterator> places_ = {};
  Leaves::const_iterator next_ = {};
  Leaves::const_iterator end_ = {};
  std::uint64_t key_changes_left_ = 0;
  LineCheck lines_ = {};
};

}  // namespace

FolderReport check_folder(std::filesystem::path const& folder, std::span<proof::VerifierKey const> keys) {
  return FolderCheck(folder, keys).run();
}

}  // namespace whence::tools
