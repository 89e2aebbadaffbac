#pragma once
// `records.write` and `records.delete` between their params and the engine's batch, and back.

#include "engine/values/batch.hpp"
#include "engine/values/write_answer.hpp"
#include "net/params/common_params.hpp"
#include "net/params/params.hpp"
#include "net/rpc/envelope.hpp"
#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"

#include <string>
#include <utility>
#include <vector>

namespace whence::net {

/// The params of a write, all that is wrong with them at once.
template <schema::Described Params>
[[nodiscard]] Result<Params> parse_params(Request const& request) {
  std::vector<Violation> violations = duplicate_violations(request.duplicates);
  Params params{};
  decode_params(request.params, params, violations);
  if (!violations.empty()) return error_from(std::move(violations));
  return params;
}

/// A write whose records the engine makes.
template <class Params>
[[nodiscard]] WriteRequest with_step(Request const& request, Params const& params, engine::Step step) {
  WriteRequest write;
  write.batch.step = std::move(step);
  write.batch.bytes = request.bytes;
  if constexpr (requires { params.dry_run; }) write.batch.dry_run = params.dry_run;
  if constexpr (requires { params.list; }) write.names_lost = params.list;
  if (params.timeout_ms) write.timeout = timeout_of(*params.timeout_ms);
  return write;
}

/// Appends `warnings` to the open object.
void add_warnings(schema::json::Writer& out, std::vector<Violation> const& warnings);

/// Reads the params of a `records.write`. Fails with `invalid_params` naming every wrong member beside the records;
/// what is wrong with a record travels in the batch, for the engine to report with all else.
[[nodiscard]] Result<WriteRequest> parse_write(Request const& request);

/// Appends the result object: `tx`, `refs`, `warnings`, and `unchanged` where nothing was new. A warning about a
/// document also has its `line` and `column`.
void write_answer(std::string& out, engine::WriteAnswer const& answer);

/// Reads the params of a `records.delete`. Fails with `invalid_params` naming every wrong member; the engine
/// checks that the nodes exist.
[[nodiscard]] Result<WriteRequest> parse_delete(Request const& request);

/// Appends the result object: `tx`, `deleted`, `orphaned`, `dangling`, and `warnings` where there are any.
void write_removal(std::string& out, engine::WriteAnswer const& answer);

[[nodiscard]] Result<WriteRequest> parse_purge(Request const& request);

/// Appends what went, and what no purge reaches.
void write_purge(std::string& out, engine::WriteAnswer const& answer);
/// The same of `person.erase`, and `shared`.
void write_person_erased(std::string& out, engine::WriteAnswer const& answer);

}  // namespace whence::net
