#pragma once
// The results about lineage, impact and traces as page sources.

#include "queries/lineage/difference.hpp"
#include "queries/lineage/graph.hpp"
#include "queries/lineage/impact.hpp"
#include "queries/lineage/lineage.hpp"
#include "queries/lineage/manifest.hpp"
#include "queries/lineage/paths.hpp"
#include "queries/lineage/trace.hpp"
#include "queries/render/page_source.hpp"

#include <vector>

namespace whence::queries {

/// Writes the relations that a cycle of influence kept a walk from following: the first of them, and how many there
/// are; nothing where there are none.
void write_cut(schema::json::Writer& out, View const& view, std::vector<graph::CutRelation> const& cut);

// `view` is the one that the result was made from.

[[nodiscard]] PageSource render(View const& view, Lineage&& lineage, LineageParams const& params);
[[nodiscard]] PageSource render(View const& view, LineageGraph&& graph, LineageGraphParams const& params);
[[nodiscard]] PageSource render(View const& view, LineagePaths&& found, PathParams const& params);
[[nodiscard]] PageSource render(View const& view, Influence&& influence, InfluenceParams const& params);
[[nodiscard]] PageSource render(View const& view, FittedManifest&& manifest, ManifestParams const& params);
[[nodiscard]] PageSource render(View const& view, LineageDifference&& difference, LineageDiffParams const& params);
[[nodiscard]] PageSource render(View const& view, Impact&& impact, ImpactParams const& params);
[[nodiscard]] PageSource render(View const& view, Trace&& trace, TraceParams const& params);

}  // namespace whence::queries
