#pragma once
// summary.get: a topic's summary with its accumulated text.

#include "queries/conversation/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

namespace whence::queries {

/// The version asked for, else the latest that is not deleted. Fails with `not_found` at "/version" or "/topic" (rule
/// "no_summary" where there is the topic), or with `corrupt`. Reads each version before it.
[[nodiscard]] Result<schema::Summary> summary_get(View const& view, SummaryGetParams const& params,
                                                  Budget const& budget);

}  // namespace whence::queries
