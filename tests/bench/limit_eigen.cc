// Eigen computing the same chain by code that is written for nothing else, where it is installed (libeigen3-dev): what a
// library that takes any body is held against. Constant transforms stand ready; the chain's length is known.
#include "limits.h"

#ifdef HAVE_EIGEN
#include <Eigen/Geometry>

#include <chrono>
#include <cmath>

static double now_ns()
{
    using namespace std::chrono;
    return (double)duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

double limit_out[6 * 41], limit_rotation[9],
    limit_position[3]; // others may look at them: nothing can be left out

namespace
{
using Eigen::Matrix3d;
using Eigen::Vector3d;

// As make_turned_arm in tests/chain.h: quarter turns, 0.3 m before every other dof, 0.2 m behind the last.
template <int DOFS> struct arm {
    Matrix3d turn[DOFS];
    Vector3d step[DOFS], tip = Vector3d(0, 0, 0.2);
    arm()
    {
        for (int i = 0; i < DOFS; i++) {
            turn[i] = Eigen::AngleAxisd(i % 2 ? -M_PI / 2 : M_PI / 2, Vector3d::UnitX()).matrix();
            step[i] = Vector3d(0, 0, i % 2 ? 0 : 0.3);
        }
    }

    // What is constant, then a turn about z.
    void pass(Matrix3d &r, Vector3d &p, int i, double q) const
    {
        double s, c;
        sincos(q, &s, &c);
        p += r * step[i];
        const Matrix3d a = r * turn[i];
        r.col(0) = c * a.col(0) + s * a.col(1);
        r.col(1) = c * a.col(1) - s * a.col(0);
        r.col(2) = a.col(2);
    }

    void finish(const Matrix3d &r, Vector3d &p) const
    {
        p += r * tip;
        Eigen::Map<Matrix3d> rotation(limit_rotation);
        Eigen::Map<Vector3d> position(limit_position);
        rotation = r;
        position = p;
    }

    void pose(const double *q) const
    {
        Matrix3d r = Matrix3d::Identity();
        Vector3d p = Vector3d::Zero();
        for (int i = 0; i < DOFS; i++)
            pass(r, p, i, q[i]);
        finish(r, p);
    }

    void jacobian(const double *q) const
    {
        Eigen::Map<Eigen::Matrix<double, 6, DOFS>> out(limit_out);
        Vector3d axis[DOFS], origin[DOFS], p = Vector3d::Zero();
        Matrix3d r = Matrix3d::Identity();
        for (int i = 0; i < DOFS; i++) {
            pass(r, p, i, q[i]);
            axis[i] = r.col(2);
            origin[i] = p;
        }
        finish(r, p);
        for (int i = 0; i < DOFS; i++) {
            out.template block<3, 1>(0, i) = axis[i].cross(p - origin[i]);
            out.template block<3, 1>(3, i) = axis[i];
        }
    }
};

template <int DOFS> double measure(bool jacobian, const double *q, size_t postures)
{
    static const arm<DOFS> arm;
    const double begin = now_ns();
    for (size_t i = 0; i < postures; i++)
        jacobian ? arm.jacobian(q + i * DOFS) : arm.pose(q + i * DOFS);
    return (now_ns() - begin) / (double)postures;
}
} // namespace

double limit_by_hand_ns(unsigned dofs, bool jacobian, const double *q, size_t postures)
{
    return dofs == 7    ? measure<7>(jacobian, q, postures)
           : dofs == 41 ? measure<41>(jacobian, q, postures)
                        : 0;
}
#else
double limit_by_hand_ns(unsigned, bool, const double *, size_t)
{
    return 0;
}
#endif
