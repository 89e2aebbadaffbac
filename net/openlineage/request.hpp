#pragma once
// Requests of OpenLineage's HTTP API from their bodies to the bodies of their answers.

#include "net/openlineage/intake.hpp"
#include "schema/base/error.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace whence::net::openlineage {

/// Called once, from any thread, with the answer or with why nothing of the request was taken.
using Answered = std::function<void(Result<std::string>)>;

/// Writes one event in the name of `who`; the answer is an empty object, with `warnings` where a part of it was left
/// out.
void submit_event(Intake& intake, std::string_view body, std::string const& who, Answered const& answered,
                  std::string const& client = {});

/// Writes an array of events. The answer says how many were taken, and of each other one why not:
/// `{status, summary: {received, successful, failed, retriable, non_retriable}, failed_events: [{index, reason,
/// retriable}], warnings?: [{index, left_out: [reason]}]}`.
void submit_batch(Intake& intake, std::string_view body, std::string const& who, Answered const& answered,
                  std::string const& client = {});

/// A sentence on the first thing that is wrong.
[[nodiscard]] std::string reason_of(Error const& error);

}  // namespace whence::net::openlineage
