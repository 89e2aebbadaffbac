#pragma once
// A request that is being answered, as its connection sees it.

namespace whence::net {

/// Every member is called on the connection's context.
class RunningCall {
 public:
  virtual ~RunningCall() = default;

  /// Answers that the server stops, without waiting for what still runs.
  virtual void abort() = 0;
  /// Lets go of the connection: what still runs ends without an answer. The connection's context may go afterwards.
  virtual void end() noexcept = 0;
};

}  // namespace whence::net
