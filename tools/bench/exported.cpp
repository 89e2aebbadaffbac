#include "tools/bench/exported.hpp"

#include "net/params/exports.hpp"
#include "queries/export/export.hpp"
#include "store/files/destination.hpp"

#include <stdexcept>

namespace whence::bench {

std::uint64_t export_to(engine::Engine const& engine, std::string_view format, std::string const& path) {
  auto const prepared = net::prepare_export(engine, {{"format", format}}, schema::NoInterrupt{});
  if (!prepared) throw std::runtime_error(prepared.error().message);
  auto destination = store::Destination::create(path, store::Destination::Shape::folder, {.is_allowed = true}).value();
  auto const report =
      exports::write_export(prepared->source, prepared->request, destination, {}, schema::NoInterrupt{});
  if (!report) throw std::runtime_error(report.error().message);
  destination.commit();
  std::uint64_t bytes = 0;
  for (auto const& file : report->files) bytes += file.bytes;
  return bytes;
}

}  // namespace whence::bench
