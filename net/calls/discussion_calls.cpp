// The file is the authority: `repair: "all"` makes the store agree with it, then writes both files from the store.

#include "net/calls/discussion_calls.hpp"

#include "net/params/params.hpp"
#include "net/params/step_params.hpp"
#include "net/service_state.hpp"
#include "queries/discussion/difference.hpp"
#include "queries/discussion/load.hpp"
#include "queries/discussion/text.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/discussion/discussion_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

using queries::Difference;
using queries::DifferenceKind;
using schema::DiscussionState;
using schema::json::DiscussionFile;

constexpr int attempts_max = 5;  ///< of a repair, while others write to the discussion

Result<store::PairedFiles*> files_of(ServiceState& service) {
  auto* const files = service.engine.files();
  if (files != nullptr) return files;
  return error_from(Violation{.code = Errc::precondition,
                              .rule = "files",
                              .message = "this server has no folder for files: serve --files DIR"});
}

store::PairTexts texts_of(DiscussionState const& state, schema::TokenRules const& rules) {
  return {.json = schema::json::discussion_file_text(state, rules), .markdown = queries::markdown_text(state, rules)};
}

/// What was written, and the transaction it shows.
struct Written {
  store::PairPaths paths;
  schema::TxId tx;
};

/// Both files as the store has the discussion when its turn comes.
Result<Written> write_files(ServiceState& service, store::PairedFiles& files, store::PairName const& name) {
  schema::TxId tx{};
  auto const make = [&]() -> Result<store::PairTexts> {
    auto const view = service.view();
    tx = view.snapshot.tx();
    auto state = queries::load_discussion(view, name.folder, name.name);
    if (!state) return state.error();
    return texts_of(queries::without_open_round(std::move(*state)), view.token_rules);
  };
  auto paths = files.write(name, make);
  if (!paths) return paths.error();
  return Written{std::move(*paths), tx};
}

/// A discussion as stored and as its files have it.
struct Compared {
  schema::TxId tx;
  DiscussionState stored;  ///< its open round too
  queries::FoundDiscussion found;
  std::vector<Difference> differences;

  [[nodiscard]] bool has(DifferenceKind kind) const {
    return std::ranges::find(differences, kind, &Difference::kind) != differences.end();
  }
  /// The file, where there is one that can be read.
  [[nodiscard]] DiscussionFile const* file() const {
    return found.json && found.json->has_value() ? &found.json->value() : nullptr;
  }
};

/// Times in a file may be of any age; a later one than now is refused as in any record.
schema::CheckContext context_of(ServiceState& service) {
  auto const& config = service.engine.config();
  return {.latest_time = schema::plus_seconds(service.clock.now(), config.future_tolerance_s)};
}

Result<Compared> compare(ServiceState& service, store::PairedFiles& files, store::PairName const& name) {
  auto const view = service.view();
  auto stored = queries::load_discussion(view, name.folder, name.name);
  if (!stored) return stored.error();
  auto texts = files.read(name);
  if (!texts) return texts.error();
  Compared compared{.tx = view.snapshot.tx(), .stored = std::move(*stored), .found = {}, .differences = {}};
  if (texts->json) {
    compared.found.json = schema::json::parse_discussion_file(*texts->json, context_of(service),
                                                              {.user_id = name.folder, .discussion_id = name.name});
  }
  compared.found.markdown = std::move(texts->markdown);
  compared.differences =
      queries::differences(compared.found, queries::without_open_round(compared.stored), view.token_rules);
  return compared;
}

/// Writes both files again from the content of the JSON file, where its token count is off by a little. Returns how
/// many differences that repaired.
Result<std::size_t> repair_tokens(ServiceState& service, store::PairedFiles& files, store::PairName const& name,
                                  Compared const& compared) {
  auto const* file = compared.file();
  auto const& rules = service.engine.config().token_rules;
  if (file == nullptr || !file->token_count || !compared.has(DifferenceKind::token_count)) return 0;
  if (!queries::is_small(*file->token_count, queries::computed_tokens(*file, rules))) return 0;
  auto const written = files.write(name, [&]() -> Result<store::PairTexts> { return texts_of(file->state, rules); });
  if (!written) return written.error();
  return 1;
}

bool changes_store(Compared const& compared) {
  return compared.has(DifferenceKind::round) || compared.has(DifferenceKind::summary) ||
         compared.has(DifferenceKind::metadata);
}

/// The store follows the file, then both files follow the store.
Result<std::size_t> repair_all(ServiceState& service, store::PairedFiles& files, store::PairName const& name,
                               Compared const& compared) {
  if (compared.differences.empty() || compared.has(DifferenceKind::unreadable)) return 0;
  if (auto const* file = compared.file(); file != nullptr && changes_store(compared)) {
    engine::WriteBatch batch;
    batch.step = engine::DiscussionRestoring{.state = file->state, .before = compared.stored};
    auto const restored = service.engine.write(std::move(batch));
    if (!restored) return restored.error();
  }
  auto const written = write_files(service, files, name);
  if (!written) return written.error();
  return compared.differences.size();
}

Result<std::size_t> repair(Repair repair, ServiceState& service, store::PairedFiles& files, store::PairName const& name,
                           Compared const& compared) {
  switch (repair) {
    case Repair::none:
      return 0;
    case Repair::tokens:
      return repair_tokens(service, files, name, compared);
    case Repair::all:
      return repair_all(service, files, name, compared);
  }
  return 0;
}

void write_side(schema::json::Writer& out, std::string_view name, std::optional<std::string> const& json) {
  out.key(name);
  json ? out.raw(*json) : out.null();
}

std::string result_of(Compared const& compared, schema::TxId tx, std::size_t repaired) {
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(tx)).key("differences").begin_array();
  for (Difference const& each : compared.differences) {
    out.begin_object().member("path", each.path).member("kind", name_of(each.kind));
    write_side(out, "file", each.file);
    write_side(out, "store", each.store);
    out.end_object();
  }
  out.end_array().member("repaired", std::uint64_t{repaired}).end_object();
  return text;
}

}  // namespace

Result<std::string> write_discussion(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<FilesParams>(params);
  if (!asked) return asked.error();
  auto const files = files_of(service);
  if (!files) return files.error();
  auto const written = write_files(service, **files, {.folder = asked->user_id, .name = asked->discussion_id});
  if (!written) return written.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(written->tx)).member("json", written->paths.json);
  out.member("md", written->paths.markdown).end_object();
  return text;
}

Result<std::string> reconcile_discussion(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<ReconcileParams>(params);
  if (!asked) return asked.error();
  auto const files = files_of(service);
  if (!files) return files.error();
  store::PairName const name{.folder = asked->user_id, .name = asked->discussion_id};
  for (int attempt = 1;; ++attempt) {
    auto const compared = compare(service, **files, name);
    if (!compared) return compared.error();
    auto const repaired = repair(asked->repair, service, **files, name, *compared);
    if (repaired) return result_of(*compared, service.engine.snapshot().tx(), *repaired);
    if (repaired.error().code != Errc::precondition || attempt == attempts_max) return repaired.error();
  }
}

bool asks_for_repair(boost::json::object const& params) {
  auto const* repair = params.if_contains("repair");
  return repair != nullptr && !repair->is_null() && *repair != "none";
}

}  // namespace whence::net
