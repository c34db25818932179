#pragma once

// Lowers one kernel, statement by statement, into the block that is open. Control flow is in
// lower.cc, how elements are named and iterated in elements.cc; each other file has the schedules
// of some operators: pointwise.cc, elementwise.cc, apply.cc, copy.cc, reduce.cc, gemm.cc,
// indexed.cc. How registers are spread that say nothing of it is in infer.cc.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/check.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/atom.h"
#include "kernel/lower/barriers.h"
#include "kernel/lower/matrix_instruction.h"
#include "kernel/lower/permute.h"
#include "kernel/lower/shared_layout.h"
#include "kernel/lower/spread.h"

namespace heddle::kernel {

/// A tensor that is in sight, and where its elements are.
struct Placed {
  Tensor tensor;
  std::string buffer;
  /// Of registers.
  std::optional<Spread> spread = {};
  /// Where its first element is in the buffer.
  Int origin = 0;
  /// Whether elements of memory have places of their own.
  bool is_one_to_one = true;
  /// Whether one thread has all of it, in registers in the order of its elements.
  bool is_private = false;
};

/// The threads that do a statement together, or one of them that does it on its own.
struct Team {
  /// The index of a thread among them.
  Int rank = 0;
  std::int64_t threads = 1;
  /// Which threads of the block they are; empty for all.
  std::vector<Condition> members = {};
  /// Whether each thread does it on its own.
  bool is_alone = false;
  /// The threads of each of several teams that do it on their own, as the warps of `warp { … }`; 0
  /// for one team.
  std::int64_t unit = 0;
  /// Whether threads may be here that others of the block are not.
  bool is_divergent = false;
};

/// Whether a condition holds for all elements of an atom or for none: its index grows by less than
/// some number from the first element to any other, begins at a multiple of it, and so does the
/// bound.
[[nodiscard]] bool holds_alike(const Condition& first, const Condition& any);
/// Whether the view reads its tensor's bits as another type.
[[nodiscard]] bool is_recast(const View& view);

class Lowerer {
 public:
  /// What is found for the shared tensors without a layout, in the order of their declarations.
  using SharedLayouts = std::vector<SharedLayout>;
  struct WithoutLayout {
    Tensor tensor;
    std::string buffer;
  };

  Lowerer(const Kernel& kernel, const LowerOptions& options, SharedLayouts layouts = {});
  Result<ThreadProgram> run();
  /// What it made, once its layouts are kept, with what threads hold in front of loops.
  ThreadProgram finished(ThreadProgram program);
  /// The shared tensors that were declared without a layout, once it ran; in the same order each
  /// time.
  [[nodiscard]] const std::vector<WithoutLayout>& without_layout() const { return without_layout_; }

 private:
  using Axes = std::vector<std::int64_t>;
  /// What is done for an element: its coordinate, and the counters of the loops around it.
  using Visit = std::function<Result<void>(const std::vector<Int>& coordinate,
                                           const std::vector<Int>& counters)>;

  // lower.cc: control flow
  Result<void> lower(const Block& block, const Team& team);
  Result<void> lower(const Statement& statement, const Team& team);
  Result<void> lower(const Declaration& node, const Team& team);
  [[nodiscard]] std::string larger_hint(const Int& bytes) const;
  [[nodiscard]] Result<void> check_size(const Tensor& tensor, const Int& elements,
                                        std::int64_t most_bytes) const;
  Result<void> lower(const Let& node, const Team& all);
  Result<void> lower(const Assign& node, const Team& team);
  Result<void> lower(const Call& node, const Team& all);
  Result<void> lower_by(const Schedule& schedule, const Call& node, const Team& team);
  Result<void> lower_apart(const Block& block, const Team& team);
  Result<void> lower(const For& node, const Team& team);
  Result<void> lower(const Pipeline& node, const Team& team);
  Result<void> lower(const While& node, const Team& team);
  Result<void> lower(const Break& node, const Team& team);
  Result<void> lower(const Continue& node, const Team& team);
  Result<void> lower(const If& node, const Team& team);
  Result<void> lower(const Scope& node, const Team& team);
  Result<void> lower(const Unchecked& node, const Team& team);
  Result<Computation> condition(const Elementwise& value, const Team& all);
  Result<void> diverge_unless(bool is_common, const Team& team,
                              const std::function<Result<void>(const Team&)>& fill);
  Team part_of(const Scope& node, const Team& team, bool is_complement) const;
  /// Who does a statement of the team: where there is one worker, it alone.
  [[nodiscard]] Team performers(const Team& team) const;
  Result<void> lower_in_turn(const Scope& node, const Team& part);
  /// Fills a block of its own by `fill`.
  Result<ThreadBlock> nested(const std::function<Result<void>()>& fill);
  /// The body of a loop, with a barrier in front if one iteration needs it after another; `again`
  /// is read behind it.
  Result<ThreadBlock> loop_body(const std::function<Result<void>()>& fill, const Team& team,
                                const std::string& counter, const Int& extent,
                                const Computation* again = nullptr);
  Result<void> read_again(const Team& team);
  /// Whether the integer may be another one for other threads.
  [[nodiscard]] bool differs(const Int& value, const Team& team) const;
  /// Whether all threads of the block, members or not, find the same value.
  [[nodiscard]] bool is_common_to_all(const Computation& value, const Team& team) const;

  // pipeline.cc: loads that run ahead, and copies that are waited for
  Result<void> lower_ahead(const Pipeline& node, const Team& team);
  Result<void> load_at(const Pipeline& node, const Int& turn, const Team& team);
  Result<void> await_copies(const Team& team);

  // infer.cc: how register tensors without a layout are spread
  Result<Spread> spread_for(const Tensor& tensor, std::int64_t threads);
  [[nodiscard]] const Tensor* declaration_of(std::string_view name) const;

  // elements.cc
  [[nodiscard]] const Placed* find(std::string_view name) const;
  std::string fresh(std::string_view name);
  Placed& place(Tensor tensor, std::optional<Spread> spread);
  /// The same, in a buffer of this name.
  Placed& put_buffer(const std::string& name, Tensor tensor, std::optional<Spread> spread);
  Placed& put(Placed placed);
  /// Forgets what was put after there were `size` tensors.
  void forget_to(std::size_t size);
  [[nodiscard]] Names names() const;
  /// Shared memory of this type for the exchange of elements, at least this large, of each team its
  /// own.
  Placed scratch(DType type, std::vector<Int> shape, const Team& team);
  [[nodiscard]] Result<std::vector<Int>> shape_of(const Elementwise& value) const;
  [[nodiscard]] Result<DType> type_of(const Elementwise& value) const;
  /// Where the element at a point of a view is, and what must hold for it to exist.
  struct Found {
    Location location;
    std::vector<Condition> inside;
    DType type = DType::kF32;
    Space space = Space::kGlobal;
  };
  Result<Found> locate(const View& view, const std::vector<Int>& point, const Team& team) const;
  /// The same, of an element that is written on its own: not half of a byte.
  Result<Found> locate_written(const View& view, const std::vector<Int>& point,
                               const Team& team) const;
  /// The byte that has the elements of 4 bits at a point and at the next one along the last
  /// dimension.
  Result<Found> locate_byte(const View& view, const std::vector<Int>& point) const;
  Result<void> check_bytes(const View& view, const Found& found) const;
  static Result<Found> found_at(const Element& element, const Placed& placed);
  static Result<Int> address_of(const Element& element, const Placed& placed);
  static Refusal refuse_halves(const View& view, std::string_view reason);
  /// The value of an expression at a point of its broadcast shape.
  Result<Computation> compute(const Elementwise& value, const std::vector<Int>& point,
                              const Team& team, const Number& outside = Number(0.0)) const;
  /// The expression with every view of registers that other threads hold at these elements read
  /// from shared memory, to which it is written first.
  using PointOf = std::function<std::vector<Int>(const std::vector<Int>& coordinate)>;
  Result<Elementwise> within_reach(Elementwise value, const Spread& spread, const Team& team,
                                   const PointOf& point_of);
  Result<View> exchanged(const View& view, const Team& team);
  /// The expression with what it reads of this tensor read from a copy, which is made first.
  Result<Elementwise> apart_from(std::string_view tensor, Elementwise value, const Team& team);
  /// The spread of the first operand that is all of a register tensor of this shape.
  [[nodiscard]] Result<std::optional<Spread>> spread_in(const Elementwise& value,
                                                        const std::vector<Int>& shape) const;
  /// Loops over what a thread holds, with the guard of the spread.
  Result<void> for_each(const Spread& spread, const Team& team, bool is_once, const Visit& visit);
  [[nodiscard]] std::string counter_name() const;
  Result<void> loops(const std::vector<SpreadDigit>& digits, std::vector<Int>& counters,
                     const std::function<Result<void>()>& visit);
  /// The elements of memory that a tensor of shared memory reaches.
  Result<Int> memory_of(const Tensor& tensor) const;
  /// Adds statements that only members do.
  Result<void> by_members(const Team& team, const std::function<Result<void>()>& fill);
  Result<void> guarded(std::vector<Condition> conditions,
                       const std::function<Result<void>()>& fill);
  void add(ThreadStatement::Node node) { open_->push_back({std::move(node)}); }

  // barriers
  /// Adds what `fill` adds, behind a barrier where an access of another thread must come first. All
  /// elements of the view that are written are written once, if one is given.
  Result<void> in_order(const Team& team, const View* written,
                        const std::function<Result<void>()>& fill);
  Result<void> touch(std::vector<Access> accesses, const Team& team, const View* written = nullptr);
  Result<void> read(const Computation& value, const Team& team);
  /// Whether its address has nothing in it but threads, its own loops, and what is common.
  [[nodiscard]] bool is_known_here(const Access& access) const;
  [[nodiscard]] bool is_memory(const std::string& buffer) const;
  /// Whether all threads of the block that come here have the same value of it.
  [[nodiscard]] bool is_common(const std::string& name) const;
  [[nodiscard]] ThreadBlock barrier() const;
  Result<void> add_barrier(const Team& team, std::string_view reason);
  [[nodiscard]] Result<void> check_barrier(const Team& team, std::string_view reason) const;

  // pointwise.cc
  Result<void> pointwise(const View& destination, const Elementwise& value, const Team& team,
                         const Number& outside);
  Result<void> into_registers(const View& destination, Elementwise value, const Team& team,
                              const Number& outside);
  Result<void> into_memory(const View& destination, Elementwise value, const Team& team,
                           const Number& outside);
  Result<void> in_pairs(const View& destination, const Elementwise& value, const Spread& spread,
                        const Team& team, const Number& outside);
  /// The point of a view at a coordinate of its tensor, and what must hold for there to be one; of
  /// a recast to a narrower type, that of a part of the element.
  Result<std::vector<Int>> point_of(const View& view, const Tensor& tensor,
                                    const std::vector<Int>& coordinate, const Int& part,
                                    std::vector<Condition>& inside) const;
  Result<bool> overtakes(const View& destination, const Elementwise& value, const Team& team) const;
  Result<View> computed_first(const View& destination, const Elementwise& value, const Team& team,
                              const Number& outside);

  // apply.cc: instructions that are proved to do a copy, or a function of elements
  /// An instruction, the name that explanations have for it, and why it is not considered here.
  struct Way {
    std::string name;
    Instruction instruction;
    std::string reason = {};
  };
  /// Along an axis, the source of a gather is at what an index says, and not at the coordinate.
  struct Picked {
    std::size_t axis;
    View indices;
    /// The extent of the source along the axis.
    Int extent;
    bool is_gather = true;
  };
  /// An instruction laid over elements: spread = tiler (x) atom.
  struct Tiling {
    Instruction instruction;
    Spread spread;
    Spread tiler;
    std::vector<Spread> atoms;
    std::optional<Picked> picked;
    /// The target's function that does it, if it is not a text of the instruction.
    std::string intrinsic = {};
  };
  /// Where an operand is at a step of the tiler: its first element, any other one, how many places
  /// behind the first that is.
  struct AtomPlaces {
    Found first;
    Found any;
    Int place = 0;
    std::vector<Condition> inside_first;
    std::vector<Condition> inside_any;
  };
  [[nodiscard]] Result<void> check_memory(const View& view,
                                          const InstructionOperand& operand) const;
  Result<Tiling> tiled(const Instruction& instruction, const std::vector<View>& operands,
                       const Team& team, const std::optional<Picked>& picked = {}) const;
  Result<Spread> spread_for_all(const std::vector<View>& operands, const Spread& atom,
                                const Team& team) const;
  static std::vector<Int> of_lane(const Spread& atom, const Team& team, std::vector<Int> begin);
  Result<AtomPlaces> places_in(const View& view, std::size_t operand, const Tiling& tiling,
                               const Team& team) const;
  Result<void> prove(const View& view, std::size_t operand, const Tiling& tiling,
                     const Team& team) const;
  /// What is done for an atom: its coordinate, and where its first element is written.
  using AtomVisit =
      std::function<Result<void>(const std::vector<Int>& coordinate, const Location& to)>;
  Result<void> over_tiler(const View& destination, const Team& team, const Tiling& tiling,
                          const AtomVisit& visit);
  Result<void> apply(const View& destination, const View& source, const Team& team,
                     const Tiling& tiling, const Number& outside);
  Result<std::optional<Tiling>> by_function(const View& destination, const Elementwise& value,
                                            const Team& team);
  Result<void> apply_function(const View& destination, const Elementwise& value, const Team& team,
                              const Tiling& tiling);

  // copy.cc
  Result<void> copy(const Call& node, const Team& team);
  [[nodiscard]] std::vector<Way> ways_to_copy(const Call& node, DType type) const;
  /// What is copied; where the source has no element, this number.
  struct CopyViews {
    View destination;
    View source;
    Number outside;
  };
  [[nodiscard]] std::vector<Way> ways_to_copy_later(const Call& node, DType type) const;
  Result<Tiling> matrix_load(const View& destination, const View& source, const Team& team);
  Result<void> apply_later(const View& destination, const View& source, const Team& team,
                           const Tiling& tiling);
  Result<bool> try_asynchronous(const Call& node, const CopyViews& views, const Team& team);
  Result<bool> try_instructions(const Call& node, const CopyViews& views, const Team& team,
                                bool is_long_row);
  [[nodiscard]] Refusal refuse_forced(const Call& node, bool is_early) const;
  Result<bool> try_rows(const Call& node, const CopyViews& views, const Team& team);
  [[nodiscard]] Result<BoxCopy> box_copy(const CopyViews& views, const Team& team) const;
  Result<void> copy_rows(PermutedBox rows, const BoxCopy& box, const CopyViews& views,
                         const Team& team);
  Result<void> touch_box(const BoxCopy& box, const CopyViews& views, const Team& team);
  Result<void> copy_elements(const CopyViews& views, const Team& team, Choice* choice);

  // elementwise.cc
  Result<void> elementwise(const View& destination, const Elementwise& value, const Team& team,
                           const std::optional<std::string>& schedule);
  Result<Tiling> stored_in_vectors(const View& destination, const Elementwise& value,
                                   const Team& team, std::int64_t width);
  Result<void> by_vectors(const View& destination, const Elementwise& value, const Team& team,
                          const Tiling& vectors);
  View held(std::string_view name, DType type, std::vector<Int> shape, Spread spread);
  std::optional<Tiling> loaded_in_vectors(const View& view, const Spread& spread, const Team& team);
  Result<Elementwise> loaded(Elementwise value, const Spread& spread, const Team& team,
                             std::vector<std::pair<View, View>>& known);
  Result<void> into_held(const View& destination, const Elementwise& value, const Team& team);

  // long_rows.cc
  /// A row that is gone through in steps of `chunk` elements, by a loop over `counter`.
  struct LongRow {
    Int length;
    std::int64_t width = 1;
    std::int64_t chunk = 1;
    Int steps;
    std::string name;
    Int counter;
  };
  /// Whether these are the elements of one row, and how many a thread would have is not known.
  [[nodiscard]] bool is_long_row(const std::vector<Int>& shape, const Team& team) const;
  LongRow long_row(const Int& length, std::int64_t width, const Team& team);
  Result<View> chunk_of(View view, const LongRow& row) const;
  Result<Elementwise> chunk_of(Elementwise value, const LongRow& row) const;
  Result<void> over_row(const LongRow& row, const Team& team,
                        const std::function<Result<void>()>& fill);
  static std::string reason_of_length(const Int& length, std::int64_t width);
  static std::string text_of(const LongRow& row);
  Result<bool> try_long_row(const View& destination, const Elementwise& value, const Team& team);
  [[nodiscard]] std::optional<DType> narrowest_of_row(const Elementwise& value,
                                                      const Int& length) const;
  bool loads_vectors(const Elementwise& value, const Spread& spread, const Team& team);
  Result<std::optional<LongRow>> row_of_vectors(const Elementwise& source, const Int& length,
                                                const Team& team);

  // reduce.cc
  struct Reduction;
  Result<void> reduce(const Call& node, const Team& team);
  Result<void> add_up(const Reduction& reduction, const Team& team);
  Result<void> begin_sums(const Reduction& reduction);
  Result<void> add_elements(const Reduction& reduction, const Elementwise& source,
                            const Team& team);
  Result<void> add_up_row(const Reduction& reduction, const Team& team);
  Result<void> combine(const Reduction& reduction, const Team& team);
  Result<void> find_none(const Reduction& reduction, const Team& team);
  Result<void> store(const Reduction& reduction, const Team& team);
  Result<void> scan(const Call& node, const Team& team);
  Result<Elementwise> lines_in_memory(Elementwise value, const Team& team);
  /// A register of its own for each thread.
  std::string temporary(std::string_view name, DType type, const Int& elements);

  // gemm.cc
  Result<void> gemm(const Call& node, const Team& team);
  Result<View> in_memory(const View& view, const Team& team);
  /// The operands of a product; of a sparse A what is kept, and its index (kernel/sparse.h).
  struct ProductViews {
    View sums;
    View a;
    View b;
    std::optional<View> index = {};
  };
  Result<void> by_fma(const ProductViews& views, const Team& team);
  Result<std::optional<MatrixInstruction>> by_matrix_instruction(const Call& node,
                                                                 const std::vector<Int>& shape,
                                                                 const Team& team);

  // sparse_product.cc
  /// What a sparse A has at a row and a step along K, if it keeps anything there.
  struct KeptElement {
    Computation value;
    Computation is_kept;
  };
  Result<Computation> element_inside(const View& view, const std::vector<Int>& point,
                                     const std::vector<Condition>& inside, const Team& team) const;
  Result<KeptElement> kept_element(const ProductViews& views, const Int& row, const Int& step,
                                   const std::vector<Condition>& inside, const Team& team) const;

  // matrix_product.cc: products by the matrix instructions of warps
  /// The largest instruction for operands of these types with which warps cover C, whose spread
  /// may be given; the reason if there is none.
  Result<MatrixInstruction> matrix_instruction(const Call& node, const std::vector<Int>& shape,
                                               const std::optional<Spread>& sums,
                                               std::int64_t threads) const;
  Spread spread_of_sums(const Call& node, const Tensor& tensor, std::int64_t threads) const;
  [[nodiscard]] std::optional<DType> declared_type(const Elementwise& operand) const;
  struct MatrixOperand;
  struct MatrixProduct;
  Result<MatrixOperand> matrix_operand(MatrixOperand operand) const;
  Result<MatrixProduct> matrix_product(const ProductViews& views,
                                       const MatrixInstruction& by) const;
  std::vector<View> matrix_registers(const MatrixProduct& product);
  Result<void> load_pairs(const MatrixOperand& operand, const View& to, const View& from,
                          const Team& team);
  Result<void> load_step(const MatrixProduct& product, const std::vector<View>& to, const Int& step,
                         const Team& team);
  Result<void> multiply_step(const MatrixProduct& product, const std::vector<View>& parts,
                             const Team& team);
  Result<void> multiply_steps(const MatrixProduct& product, const Int& steps, const Team& team);
  Result<void> by_matrices(const ProductViews& views, const MatrixInstruction& instruction,
                           const Team& team);

  // gemm_tiles.cc: on a CPU
  struct Matrix;
  /// A block of an operand as it is copied.
  struct Panels {
    std::string buffer;
    Int origin = 0;
    /// Rows of A, or columns of B, of a panel; elements along K; panels of a block.
    std::int64_t side = 1;
    std::int64_t steps = 1;
    /// How many of these are filled.
    Int depth = 1;
    std::int64_t count = 1;
    /// The steps of an element of the buffer.
    std::int64_t together = 1;
    /// The first row or column, and what all of them are below.
    Int first = 0;
    std::vector<Int> ends;
    /// The first step, and how many there are.
    Int first_step = 0;
    Int all_steps = 1;
    bool is_rows = true;
  };
  Result<Matrix> matrix_of(const View& view, const Team& team) const;
  std::optional<Matrix> small_matrix(const View& view, DType type, std::int64_t most_bytes,
                                     const Team& team) const;
  std::optional<Matrix> rows_as_they_lie(const View& view, DType type, const Team& team) const;
  std::optional<Matrix> packed_matrix(const View& view, bool is_rows, const Team& team) const;
  std::int64_t steps_together(const View& a, const View& b, DType type, const Team& team) const;
  Result<void> pieces(std::string_view name, const Int& count,
                      const std::function<Result<void>(const Int&)>& fill);
  Result<void> pack(const View& view, DType type, const Panels& panels, const Team& team);
  struct TilePlan;
  /// Where a tile is: the first row, column and step of its block, and its panels of A and of B.
  struct TilePlace {
    Int row;
    Int column;
    Int step;
    Int i;
    Int j;
  };
  Result<TilePlan> plan_tiles(const View& a, const View& b, DType type, const Team& team);
  void note_tiles(const TilePlan& plan, const std::array<Int, 3>& extents);
  static MultiplyTile tile_at(const TilePlan& plan, const Matrix& c, const TilePlace& at);
  Result<void> gemm_in_tiles(const View& a, const View& b, const Matrix& c, DType type,
                             bool is_cleared, const Team& team);
  /// Whether the product is done in tiles, which it is then.
  Result<bool> try_tiles(const View& destination, const View& a, const View& b, DType type,
                         bool is_cleared, const Team& team);

  // indexed.cc
  Result<std::vector<Condition>> read_index(const Picked& picked, const Team& team,
                                            std::vector<Int>& point);
  Result<bool> try_vectors(const View& destination, const View& source, const Picked& picked,
                           const Team& team, const Call& node);
  Result<void> pick(const Call& node, const Team& team, bool is_gather);
  Result<void> gather(const Call& node, const Team& team);
  Result<void> scatter(const Call& node, const Team& team);
  Result<void> atomic_add(const Call& node, const Team& team);
  Result<void> pointwise_add(const View& destination, const Elementwise& value, const Team& team);

  Choice& choose(std::string_view schedule);
  /// `more` than the one that is taken: the steps of one that could be taken, if they are known.
  void reject(std::string_view schedule, std::string reason, std::optional<std::int64_t> more = {});
  /// Counts the steps of what was added since, and gives the last choice its costs.
  void count_steps(std::size_t begin, std::size_t choice);
  /// Whether the target has what the schedule of the library needs.
  [[nodiscard]] bool has(const WayRule& way) const;
  /// Refuses a schedule that the operator does not have on the target.
  Result<void> check_forced(const Call& node) const;

  const Kernel& kernel_;
  LowerOptions options_;
  SharedLayouts layouts_;
  std::vector<WithoutLayout> without_layout_;
  ThreadProgram program_;
  /// The statement that each buffer of shared memory is declared by, or first needed for.
  std::map<std::string, Span> shared_spans_;
  ThreadBlock* open_ = nullptr;
  std::vector<Placed> placed_;
  /// Where the tensors of a name are among them, the innermost last.
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_of_names_;
  /// The blocks around the statement that is lowered, the innermost last.
  std::vector<const Block*> blocks_;
  /// The statements that schedules of the kernel's own stand for.
  std::deque<Block> expansions_;
  std::map<const Tensor*, Spread> inferred_;
  std::set<const Tensor*> in_progress_;
  /// How many loops over elements are around what is added.
  int loops_ = 0;
  /// The first thread of the scope, where one worker does the parts of scopes in turn.
  Int first_thread_ = 0;
  std::int64_t scope_threads_ = 1;
  /// The counters of the kernel's loops around it that count more than once.
  std::vector<Int> counters_;
  std::set<std::string> taken_;
  /// The last number that fresh() has given to a name.
  std::map<std::string, int> numbered_;
  Accesses accesses_;
  /// The conditions of the guards around what is added.
  std::vector<Condition> guards_;
  /// Integers that were read from memory and are the same for all threads that come to them.
  std::set<std::string> common_;
  /// Whether some threads, and not others, may have left the innermost loop, or its iteration.
  struct Leaving {
    bool breaks = false;
    bool skips = false;
  };
  Leaving leaving_;
  /// The condition of the innermost `while`, if the loop is one.
  const Computation* again_ = nullptr;
  const Statement* statement_ = nullptr;
  /// How many pieces of shared memory of each type the statement exchanges elements through.
  std::map<DType, std::size_t> exchanges_;
  /// The buffers of these pieces.
  std::map<std::pair<DType, std::size_t>, std::string> exchange_names_;
  /// Whether it is a load of a pipeline, which is waited for there.
  bool is_loading_ahead_ = false;
  /// Whether a copy was done later since the last wait.
  bool are_copies_under_way_ = false;
  /// Of elements of so many bits.
  std::map<std::int64_t, std::vector<Instruction>> matrix_loads_;
  /// The buffers of shared memory that copies write that are done later.
  std::set<std::string> copied_later_;
  /// What was considered for it so far.
  Choice choice_;
};

}  // namespace heddle::kernel
