#pragma once
// A sink that compresses what it passes on, and the way back.

#include "schema/base/error.hpp"
#include "schema/base/sink.hpp"

#include <iosfwd>
#include <memory>
#include <string_view>

namespace whence::exports {

/// One zstd frame (RFC 8878) at zstd's default level. Failures of the inner sink pass through; failures of zstd are
/// thrown as std::system_error.
class ZstdSink final : public schema::Sink {
 public:
  explicit ZstdSink(std::unique_ptr<schema::Sink> inner);
  ~ZstdSink() override;

  void write(std::string_view bytes) override;
  /// Ends the frame. The summary is that of the compressed bytes.
  [[nodiscard]] schema::FileSummary finish() override;

 private:
  struct Stream;
  std::unique_ptr<schema::Sink> inner_;
  std::unique_ptr<Stream> stream_;
};

/// The first bytes of a frame.
inline constexpr std::string_view zstd_magic = "\x28\xB5\x2F\xFD";

/// Unpacks all frames of `in` to `out`. Fails with `parse_error` where they are damaged or end too soon.
[[nodiscard]] Result<void> unpack_zstd(std::istream& in, std::ostream& out);

}  // namespace whence::exports
