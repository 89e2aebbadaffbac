// Asio's thread pool and strands.

#include "net/work/worker_pool.hpp"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

namespace whence::net {

namespace asio = boost::asio;

WorkerPool::WorkerPool(unsigned threads) : pool_(std::make_unique<asio::thread_pool>(threads)) {}

WorkerPool::~WorkerPool() {
  pool_->stop();
  pool_->join();
}

void WorkerPool::post(std::function<void()> task) {
  asio::post(*pool_, std::move(task));
}

struct SerialQueue::Strand {
  asio::strand<asio::thread_pool::executor_type> strand;
};

SerialQueue::SerialQueue(WorkerPool& pool) : strand_(new Strand{asio::make_strand(*pool.pool_)}) {}

SerialQueue::~SerialQueue() = default;

void SerialQueue::post(std::function<void()> task) {
  asio::post(strand_->strand, std::move(task));
}

}  // namespace whence::net
