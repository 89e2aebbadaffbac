// rpc.discover, server.info, admin.backup, admin.log, admin.retention, admin.verify.

#include "net/calls/calls.hpp"

#include "net/base/errors.hpp"
#include "net/base/version.hpp"
#include "net/params/params.hpp"
#include "net/state/service_state.hpp"
#include "queries/render/forms.hpp"
#include "queries/view/moments.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/base64.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>

namespace whence::net {

namespace {

void write_nodes(schema::json::Writer& out, graph::Snapshot const& snapshot) {
  out.key("nodes").begin_object();
  for (auto const& row : schema::record_types()) {
    if (row.is_node) out.member(row.name, snapshot.vertex_count(row.type));
  }
  out.end_object();
}

void write_edges(schema::json::Writer& out, graph::Snapshot const& snapshot) {
  std::set<schema::EdgeType> types;  // a type has a row for each pair of ends
  for (auto const& row : schema::edge_rules()) types.insert(row.type);
  out.key("edges").begin_object();
  for (schema::EdgeType const type : types) out.member(schema::name_of(type), snapshot.edge_count(type));
  out.end_object();
}

/// How far this node is in the log that it shares with others.
void write_shared_log(schema::json::Writer& out, store::SharedLogFigures const& log,
                      store::SharedLogPicture const& picture) {
  out.key("log").begin_object();
  out.member("connected", log.is_connected).member("position", log.position).member("lag", log.last - log.position);
  out.member("last_contact_s", log.last_contact_s);
  out.key("servers").begin_array();
  for (auto const& each : picture.servers) {
    out.begin_object().member("name", each.name).member("leader", each.is_leader);
    out.member("current", each.is_current).member("lag", each.lag).end_object();
  }
  out.end_array().key("nodes").begin_array();
  for (auto const& each : picture.nodes) {
    out.begin_object().member("name", each.name).member("self", each.is_self);
    if (!each.bolt.empty()) out.member("bolt", each.bolt);
    if (each.tree) {
      out.key("tree").begin_object().member("size", each.tree->size);
      out.member("root", schema::proof::format_hash(each.tree->root)).end_object();
    }
    out.member("position", each.position).member("last_seen_s", each.last_seen_s).end_object();
  }
  out.end_array().end_object();
}

/// How the index of texts follows the log.
void write_search(schema::json::Writer& out, engine::SearchFigures const& figures, schema::TxId head) {
  out.key("search").begin_object();
  out.member("tx", number(figures.tx)).member("complete", figures.tx >= head).member("bytes", figures.file_bytes);
  if (!figures.failure.empty()) out.member("failure", figures.failure);
  out.end_object();
}

constexpr std::chrono::milliseconds told_every{100};

/// Reports what work tells, at most ten times a second, and the end of each part; nothing where it was not asked for.
Notify told_to(Progress const& progress, bool is_asked) {
  if (!is_asked || !progress.notify) return {};
  return [&progress, next = std::chrono::steady_clock::time_point{}](std::uint64_t done, std::uint64_t total,
                                                                     char const* what) mutable {
    auto const now = std::chrono::steady_clock::now();
    if (done < total && now < next) return;
    next = now + told_every;
    progress(done, total, what);
  };
}

/// Whether a backup can be at `path`, which lines of files name.
Result<void> check_place(std::string const& path, std::string const& place) {
  if (schema::has_control_character(path)) {
    return error_from(param_violation("characters", place, schema::shown(path), "must have no control characters"));
  }
  std::error_code failed;
  static_cast<void>(std::filesystem::status(path, failed));
  bool const is_absent = failed == std::errc::no_such_file_or_directory;
  if (!failed || is_absent) return {};
  return error_from(param_violation("path", place, schema::shown(path), failed.message()));
}

/// Why nothing can be made at a path that the caller has named. What is not the path's fault is as elsewhere.
Error refused_place(std::string const& path, std::string const& place, std::system_error const& failed) {
  constexpr std::array of_paths = {std::errc::permission_denied,
                                   std::errc::operation_not_permitted,
                                   std::errc::read_only_file_system,
                                   std::errc::no_such_file_or_directory,
                                   std::errc::not_a_directory,
                                   std::errc::is_a_directory,
                                   std::errc::file_exists,
                                   std::errc::filename_too_long,
                                   std::errc::too_many_symbolic_link_levels,
                                   std::errc::too_many_links};
  bool const is_of_path = std::ranges::any_of(of_paths, [&](std::errc code) { return failed.code() == code; });
  if (!is_of_path) return error_of(failed);
  return error_from(param_violation("path", place, schema::shown(path), failed.what()));
}

Result<store::BackupResult> back_up(ServiceState& service, BackupParams const& asked, Progress const& progress) {
  try {
    return service.engine.backup(asked.path, *progress.interrupt, told_to(progress, asked.progress));
  } catch (std::system_error const& failed) {
    return refused_place(asked.path, "/path", failed);
  }
}

}  // namespace

Result<std::string> discover(ServiceState& service, boost::json::object const& params, Progress const&) {
  if (auto const parsed = parse_params<NoParams>(params); !parsed) return parsed.error();
  return service.openrpc;
}

Result<std::string> server_info(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<InfoParams>(params);
  if (!asked) return asked.error();
  auto const snapshot = queries::snapshot_as_of(service.engine.snapshot(), asked->as_of);
  if (!snapshot) return snapshot.error();
  auto const uptime = std::chrono::steady_clock::now() - service.started;
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("version", version()).member("build", build_info());
  write_nodes(out, *snapshot);
  write_edges(out, *snapshot);
  out.member("store_bytes", service.engine.stats().file_bytes);
  out.member("uptime_s", std::chrono::duration_cast<std::chrono::seconds>(uptime).count());
  // So that a client can see how far its own clock is off: records from the future are refused.
  out.member("time", schema::format_rfc3339(service.clock.now()));
  out.member("epoch", service.epoch).member("tx", number(snapshot->tx()));
  if (!service.config.namespace_name.empty()) out.member("namespace", service.config.namespace_name);
  if (auto const kinds = service.capture.not_understood(); !kinds.empty()) {
    out.key("not_understood").begin_array();
    for (auto const& [kind, spans] : kinds) out.begin_object().member("kind", kind).member("spans", spans).end_object();
    out.end_array();
  }
  if (auto const search = service.engine.search()) write_search(out, *search, service.engine.snapshot().tx());
  if (auto const log = service.engine.shared_log()) write_shared_log(out, *log, service.engine.shared_log_picture());
  out.end_object();
  return text;
}

Result<std::string> backup(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  auto const asked = parse_params<BackupParams>(params);
  if (!asked) return asked.error();
  if (!std::filesystem::path(asked->path).is_absolute()) {
    return error_from(param_violation("absolute", "/path", schema::shown(asked->path), "must be an absolute path"));
  }
  if (auto const usable = check_place(asked->path, "/path"); !usable) return usable.error();
  auto const made = back_up(service, *asked, progress);
  if (!made) return made.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object()
      .member("path", asked->path)
      .member("tx", number(made->tx))
      .member("bytes", made->bytes)
      .end_object();
  return text;
}

Result<std::string> read_log(ServiceState& service, boost::json::object const& params, Progress const&) {
  constexpr std::uint32_t piece_bytes = std::uint32_t{4} << 20;
  auto const asked = parse_params<LogParams>(params);
  if (!asked) return asked.error();
  if (asked->kept) {
    if (auto const usable = check_place(*asked->kept, "/kept"); !usable) return usable.error();
  }
  auto const piece =
      service.engine.read_log(schema::TxId{asked->after.value_or(0)}, asked->bytes.value_or(piece_bytes));
  if (!piece) return piece.error();
  if (asked->kept) service.engine.note_backup(schema::TxId{asked->after.value_or(0)}, *asked->kept);
  std::string text;
  schema::json::Writer out(text);
  out.begin_object()
      .member("epoch", piece->epoch)
      .member("tx", schema::number(piece->head))
      .member("leaf", schema::to_hex(piece->leaf))
      .member("last", schema::number(piece->last))
      .member("groups", schema::encode_base64url(piece->groups))
      .end_object();
  return text;
}

Result<std::string> retention(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  constexpr std::size_t refs_shown_max = 100;
  auto const asked = parse_params<RetentionParams>(params);
  if (!asked) return asked.error();
  auto const outcome =
      service.retention.run(asked->dry_run, {.who = progress.author.who, .reason = asked->reason.value_or("")});
  if (!outcome) return outcome.error();
  auto const snapshot = service.engine.snapshot();
  auto const& old = outcome->found.old;
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(outcome->tx)).key("rules").begin_object();
  for (auto const& row : schema::record_types()) {
    auto const kept_for = service.retention.rules().kept_for[static_cast<std::size_t>(row.type)];
    if (kept_for) out.member(row.name, kept_for->count());
  }
  auto const write_types = [&](std::string_view name, auto const& vertices, auto const& type_of) {
    out.key(name).begin_object();
    for (auto const& row : schema::record_types()) {
      auto const count = std::ranges::count(vertices, row.type, type_of);
      if (count > 0) out.member(row.name, count);
    }
    out.end_object();
  };
  out.end_object().member("expired", old.size());
  write_types("types", old, [&](auto const& each) { return snapshot.type(each.vertex); });
  write_types("kept", outcome->found.kept, [&](auto const vertex) { return snapshot.type(vertex); });
  if (!old.empty()) out.member("oldest", schema::format_rfc3339(old.front().since));
  out.key("refs").begin_array();
  for (std::size_t i = 0; i < std::min(old.size(), refs_shown_max); ++i) {
    queries::write_ref(out, snapshot, old[i].vertex);
  }
  out.end_array().end_object();
  return text;
}

Result<std::string> verify(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  auto const asked = parse_params<ProgressParams>(params);
  if (!asked) return asked.error();
  auto const report = service.engine.verify(*progress.interrupt, told_to(progress, asked->progress));
  if (!report) return report.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("ok", report->is_ok).member("tx", number(report->tx)).key("checked").begin_object();
  out.member("entries", report->entries).member("records", report->records);
  out.member("blobs", report->blobs).member("edges", report->edges).end_object();
  out.key("problems").begin_array();
  for (auto const& problem : report->problems) {
    out.begin_object().member("where", problem.where).member("rule", problem.rule);
    out.member("message", problem.message).end_object();
  }
  out.end_array().end_object();
  return text;
}

}  // namespace whence::net
