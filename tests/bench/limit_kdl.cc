// OROCOS KDL computing the same chain, where it is installed (liborocos-kdl-dev).
#include "limits.h"

#ifdef HAVE_KDL
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <chrono>
#include <cmath>
#include <vector>

static double now_ns()
{
    using namespace std::chrono;
    return (double)duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

// As make_turned_arm in tests/chain.h: quarter turns, 0.3 m before every other dof, 0.2 m behind the last.
static KDL::Chain make_chain(unsigned dofs)
{
    KDL::Chain chain;
    KDL::Frame before;
    for (unsigned i = 1; i <= dofs + 1; i++) {
        KDL::Frame next(KDL::Rotation::RotX(i % 2 ? M_PI / 2 : -M_PI / 2),
                        KDL::Vector(0, 0, i % 2 ? 0.3 : 0));
        if (i == 1)
            chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), next));
        else
            chain.addSegment(
                KDL::Segment(KDL::Joint(KDL::Joint::RotZ),
                             i == dofs + 1 ? KDL::Frame(KDL::Vector(0, 0, 0.2)) : next));
    }
    return chain;
}

static KDL::JntArray array_of(const double *q, unsigned dofs)
{
    KDL::JntArray out(dofs);
    for (unsigned i = 0; i < dofs; i++)
        out(i) = q[i];
    return out;
}

double limit_fk_ns(unsigned dofs, const double *q, size_t postures)
{
    KDL::Chain chain = make_chain(dofs);
    KDL::ChainFkSolverPos_recursive solver(chain);
    KDL::Frame tip;
    std::vector<KDL::JntArray> posture;
    for (size_t i = 0; i < postures; i++)
        posture.push_back(array_of(q + i * dofs, dofs));
    const double begin = now_ns();
    for (size_t i = 0; i < postures; i++)
        solver.JntToCart(posture[i], tip);
    return (now_ns() - begin) / (double)postures;
}

double limit_jacobian_ns(unsigned dofs, const double *q, size_t postures)
{
    KDL::Chain chain = make_chain(dofs);
    KDL::ChainJntToJacSolver solver(chain);
    KDL::Jacobian jacobian(dofs);
    std::vector<KDL::JntArray> posture;
    for (size_t i = 0; i < postures; i++)
        posture.push_back(array_of(q + i * dofs, dofs));
    const double begin = now_ns();
    for (size_t i = 0; i < postures; i++)
        solver.JntToJac(posture[i], jacobian);
    return (now_ns() - begin) / (double)postures;
}

double limit_ik_ns(unsigned dofs, const double *q, size_t postures, size_t *found)
{
    KDL::Chain chain = make_chain(dofs);
    KDL::ChainFkSolverPos_recursive forward(chain);
    Eigen::Matrix<double, 6, 1> weights;
    weights << 1, 1, 1, 0.3, 0.3, 0.3;
    KDL::ChainIkSolverPos_LMA solver(chain, weights, 1e-6, 500);
    double spent = 0;
    *found = 0;
    for (size_t i = 0; i < postures; i++) {
        KDL::Frame goal;
        KDL::JntArray start(dofs), out(dofs);
        forward.JntToCart(array_of(q + i * dofs, dofs), goal);
        const double begin = now_ns();
        int status = solver.CartToJnt(start, goal, out);
        spent += (now_ns() - begin);
        *found += status >= 0;
    }
    return spent / (double)postures;
}
#else
double limit_fk_ns(unsigned, const double *, size_t)
{
    return 0;
}
double limit_jacobian_ns(unsigned, const double *, size_t)
{
    return 0;
}
double limit_ik_ns(unsigned, const double *, size_t, size_t *found)
{
    return *found = 0, 0;
}
#endif
